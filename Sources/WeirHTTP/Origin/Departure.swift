// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Tells whoever works for a reader that the reader has gone.
final class Departure: Sendable {
    private struct State {
        var hasGone = false
        var lastID: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, Never>] = [:]
    }

    private let state = Mutex(State())

    /// The reader has gone; from any thread, any number of times.
    func depart() {
        let waiters = self.state.withLock { state in
            state.hasGone = true
            defer { state.waiters = [:] }
            return Array(state.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// - Throws: `CancellationError` if the reader has gone.
    func check() throws {
        if self.state.withLock({ $0.hasGone }) { throw CancellationError() }
    }

    /// Sleeps, unless the reader goes.
    ///
    /// - Throws: `CancellationError`, at once, when it goes or the calling task is cancelled.
    func sleep(_ delay: Duration, on timeline: Timeline) async throws {
        guard delay > .zero else { return try self.check() }
        try await Race.run({ try await timeline.sleep(delay) }, against: [self.wait])
    }

    /// Waits until the reader goes.
    ///
    /// - Throws: `CancellationError` when it has gone, and when the calling task is cancelled.
    func wait() async throws {
        let id = self.state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = self.state.withLock { state in
                    // Either the handler below finds this waiter, or this sees the task's mark.
                    guard !state.hasGone, !Task.isCancelled else { return true }
                    state.waiters[id] = continuation
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            self.state.withLock { $0.waiters.removeValue(forKey: id) }?.resume()
        }
        throw CancellationError()
    }
}
