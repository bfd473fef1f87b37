// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Tells any number of watchers what a station does.
final class StatusBoard: Sendable {
    private struct State {
        var status = StationStatus()
        var watchers: [UInt64: AsyncStream<StationStatus>.Continuation] = [:]
        var lastID: UInt64 = 0
        var isClosed = false
    }

    private let state = Mutex(State())

    /// The status now, then each; who is slow gets the newest.
    func changes() -> AsyncStream<StationStatus> {
        let (stream, watcher) = AsyncStream.makeStream(
            of: StationStatus.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let id = self.state.withLock { state -> UInt64? in
            watcher.yield(state.status)
            guard !state.isClosed else { return nil }
            state.lastID += 1
            state.watchers[state.lastID] = watcher
            return state.lastID
        }
        guard let id else {
            watcher.finish()
            return stream
        }
        watcher.onTermination = { [weak self] _ in
            self?.state.withLock { $0.watchers[id] = nil }
        }
        return stream
    }

    /// Puts up another status.
    func publish(_ status: StationStatus) {
        self.state.withLock { state in
            state.status = status
            for watcher in state.watchers.values { watcher.yield(status) }
        }
    }

    /// Ends it for all who watch.
    func close() {
        let watchers = self.state.withLock { state in
            state.isClosed = true
            defer { state.watchers = [:] }
            return state.watchers
        }
        for watcher in watchers.values { watcher.finish() }
    }
}
