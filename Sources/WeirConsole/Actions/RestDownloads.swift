// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Weir

/// Fetches the rest of resources through the download queue, and takes each download out of it when it is over: one that
/// stayed would fetch its bytes again when the limits of the cache have taken them away.
final class RestDownloads: Sendable {
    private struct State {
        var pending: Set<Download.ID> = []
        var follower: Task<Void, Never>?
    }

    private let queue: DownloadQueue
    private let failed: @Sendable (Download, SourceError) -> Void
    private let state = Mutex(State())

    /// - Parameters:
    ///   - queue: fetches.
    ///   - failed: hears of a download that did not come to its end.
    init(
        _ queue: DownloadQueue,
        failed: @escaping @Sendable (Download, SourceError) -> Void
    ) {
        self.queue = queue
        self.failed = failed
    }

    deinit { self.state.withLock { $0.follower }?.cancel() }

    /// Has the rest of a medium fetched.
    ///
    /// - Throws: as ``DownloadQueue/add(_:context:isPinned:)``.
    func add(_ media: Media) async throws {
        let id = try await self.queue.add(media, isPinned: false)
        self.state.withLock { state in
            state.pending.insert(id)
            guard state.follower == nil else { return }
            let snapshots = self.queue.snapshots()
            // Owned by this object, which cancels it; ends with the library.
            state.follower = Task { [weak self] in
                for await downloads in snapshots {
                    guard let self else { return }
                    for download in downloads { await self.settle(download.id) }
                }
            }
        }
        // The list that shows its end may have come before.
        await self.settle(id)
    }

    /// Takes a download out of the queue if it is over.
    private func settle(_ id: Download.ID) async {
        // A list may be older than the order to fetch, so the queue is asked.
        guard self.state.withLock({ $0.pending.contains(id) }),
            let download = try? await self.queue.download(id)
        else { return }
        switch download.state {
        case .finished: break
        case .failed(let failure): self.failed(download, failure)
        case .queued, .running, .paused, .waiting: return
        }
        let isPending = self.state.withLock { $0.pending.remove(id) != nil }
        if isPending { _ = try? await self.queue.remove(id) }
    }
}
