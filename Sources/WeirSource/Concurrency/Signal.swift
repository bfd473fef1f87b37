// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Wakes the tasks that wait for an event, and counts the events.
///
/// A task reads the count, checks for work, and waits for a higher count. An event after the task
/// has read the count ends the wait at once. To wait for a signal that is raised only once, wait
/// with a count of 0.
package final class Signal: Sendable {
    private struct State {
        var count: UInt64 = 0
        var lastWaiter: UInt64 = 0
        /// The waiting tasks, in the order of their calls.
        var waiters: [(id: UInt64, continuation: CheckedContinuation<UInt64, any Error>)] = []
    }

    private let state = Mutex(State())

    /// A signal that was never raised.
    package init() {}

    /// How often the signal was raised.
    package var count: UInt64 { self.state.withLock { $0.count } }

    /// Raises the signal and wakes every waiting task, in the order of their calls; from any
    /// thread.
    package func raise() {
        let (count, waiters) = self.state.withLock { state in
            state.count += 1
            defer { state.waiters = [] }
            return (state.count, state.waiters)
        }
        for waiter in waiters { waiter.continuation.resume(returning: count) }
    }

    /// Waits until the signal has been raised more than `seen` times.
    ///
    /// - Parameter seen: the count that the caller knows.
    /// - Returns: the count at which the wait ended, greater than `seen`.
    /// - Throws: `CancellationError`, at once, when the calling task is cancelled, even if the
    ///   signal was raised.
    @discardableResult
    package func wait(after seen: UInt64) async throws -> UInt64 {
        let id = self.state.withLock { state in
            state.lastWaiter += 1
            return state.lastWaiter
        }
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let result = self.state.withLock { state -> Result<UInt64, any Error>? in
                    // A task is marked as cancelled before its handlers run: either the handler
                    // below finds this waiter, or this line sees the mark.
                    if Task.isCancelled { return .failure(CancellationError()) }
                    if state.count > seen { return .success(state.count) }
                    state.waiters.append((id, continuation))
                    return nil
                }
                if let result { continuation.resume(with: result) }
            }
        } onCancel: {
            let waiter = self.state.withLock { state -> CheckedContinuation<UInt64, any Error>? in
                guard let place = state.waiters.firstIndex(where: { $0.id == id }) else {
                    return nil
                }
                return state.waiters.remove(at: place).continuation
            }
            waiter?.resume(throwing: CancellationError())
        }
    }

    /// Waits as ``wait(after:)`` does, for a limited time.
    ///
    /// - Parameters:
    ///   - seen: the count that the caller knows.
    ///   - time: the limit.
    ///   - timeline: measures the time.
    /// - Returns: whether the signal was raised in time.
    /// - Throws: `CancellationError`.
    package func wait(
        after seen: UInt64,
        atMost time: Duration,
        on timeline: Timeline
    ) async throws -> Bool {
        try await withThrowingTaskGroup(of: Bool.self) { group in
            group.addTask {
                try await self.wait(after: seen)
                return true
            }
            group.addTask {
                try await timeline.sleep(time)
                return false
            }
            defer { group.cancelAll() }
            return try await group.next() ?? false
        }
    }
}
