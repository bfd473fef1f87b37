// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Collects what players let go of, on whatever thread they do, for one consumer to take.
final class ReleaseMeter: Sendable {
    /// One element whenever something has been let go of since the last one was taken.
    let signals: AsyncStream<Void>

    private let signal: AsyncStream<Void>.Continuation
    private let counts = Mutex<[LoadingRequestServer.RequestID: Int]>([:])

    init() {
        (self.signals, self.signal) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    func released(_ id: LoadingRequestServer.RequestID, _ count: Int) {
        self.counts.withLock { $0[id, default: 0] += count }
        self.signal.yield()
    }

    /// What has been let go of since the last call.
    func take() -> [LoadingRequestServer.RequestID: Int] {
        self.counts.withLock { counts in
            defer { counts.removeAll(keepingCapacity: true) }
            return counts
        }
    }

    func finish() {
        self.signal.finish()
    }
}
