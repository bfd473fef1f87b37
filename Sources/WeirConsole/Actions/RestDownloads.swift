// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Weir

/// Fetches the rest of resources through the download queue.
///
/// Each download leaves the queue when it has ended. Otherwise it would fetch its bytes again after
/// the limits of the cache have evicted them.
final class RestDownloads: Sendable {
    private struct State {
        var pending: Set<Download.ID> = []
        var follower: Task<Void, Never>?
    }

    private let queue: DownloadQueue
    private let failed: @Sendable (Download, SourceError) -> Void
    private let state = Mutex(State())

    /// Creates an object without downloads.
    ///
    /// - Parameters:
    ///   - queue: fetches the bytes.
    ///   - failed: receives each download that has failed.
    init(
        _ queue: DownloadQueue,
        failed: @escaping @Sendable (Download, SourceError) -> Void
    ) {
        self.queue = queue
        self.failed = failed
    }

    deinit { self.state.withLock { $0.follower }?.cancel() }

    /// Adds the rest of a medium to the queue.
    ///
    /// - Throws: the errors of ``DownloadQueue/add(_:context:isPinned:)``.
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
        // The list that shows the end of this download may have come before the download was
        // pending.
        await self.settle(id)
    }

    /// Removes a download from the queue if it has ended.
    private func settle(_ id: Download.ID) async {
        // A list may be older than the added download, so the queue gives the current state.
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
