// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Wakes one task that waits; a wake-up that comes while nobody waits is kept for the next.
final class Wakeup: Sendable {
    private enum State {
        case idle
        case due
        case waiting(CheckedContinuation<Void, Never>)
    }

    private let state = Mutex(State.idle)

    /// Returns when it is woken, or its task is cancelled; at once if that was before.
    func wait() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isDue = self.state.withLock { state -> Bool in
                    if case .due = state {
                        state = .idle
                        return true
                    }
                    // The task is marked before its handler runs: one of the two sees the other.
                    if Task.isCancelled { return true }
                    state = .waiting(continuation)
                    return false
                }
                if isDue { continuation.resume() }
            }
        } onCancel: {
            self.wake()
        }
    }

    /// Wakes whoever waits, or will wait next.
    func wake() {
        let waiter = self.state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard case .waiting(let continuation) = state else {
                state = .due
                return nil
            }
            state = .idle
            return continuation
        }
        waiter?.resume()
    }
}
