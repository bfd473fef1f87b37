// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Wakes whoever waits for something new.
///
/// It counts: who looked at the count before it looked for news misses nothing.
final class NewsBell: Sendable {
    private struct State {
        var count: UInt64 = 0
        var waiters: [UInt64: CheckedContinuation<Void, any Error>] = [:]
        var lastID: UInt64 = 0
    }

    private enum Registration {
        case waiting
        case rung
        case cancelled
    }

    private let state = Mutex(State())

    /// How often it was rung.
    var count: UInt64 { self.state.withLock { $0.count } }

    /// There is something new.
    func ring() {
        let waiters = self.state.withLock { state in
            state.count += 1
            defer { state.waiters = [:] }
            // In the order in which they came, each time the same.
            return state.waiters.sorted { $0.key < $1.key }.map(\.value)
        }
        for waiter in waiters { waiter.resume() }
    }

    /// Waits until it was rung more often.
    ///
    /// - Parameter count: how often it was rung when there was no news.
    /// - Throws: `CancellationError`, at once, when the calling task is cancelled.
    func wait(after count: UInt64) async throws {
        let id = self.state.withLock { state in
            state.lastID += 1
            return state.lastID
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                // The task is marked as cancelled before its handlers run: either the handler below finds this
                // waiter, or this sees the mark.
                let registration = self.state.withLock { state -> Registration in
                    if Task.isCancelled { return .cancelled }
                    if state.count != count { return .rung }
                    state.waiters[id] = continuation
                    return .waiting
                }
                switch registration {
                case .waiting: break
                case .rung: continuation.resume()
                case .cancelled: continuation.resume(throwing: CancellationError())
                }
            }
        } onCancel: {
            let waiter = self.state.withLock { $0.waiters.removeValue(forKey: id) }
            waiter?.resume(throwing: CancellationError())
        }
    }
}
