// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Tells any number of listeners what happens.
///
/// A listener that is slow loses the oldest events, after 256.
package final class EventFeed<Event: Sendable>: Sendable {
    private struct State {
        var last = 0
        var listeners: [Int: AsyncStream<Event>.Continuation] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())

    /// A feed that nobody listens to yet.
    package init() {}

    /// What happens from now on.
    package func events() -> AsyncStream<Event> {
        AsyncStream(bufferingPolicy: .bufferingNewest(256)) { continuation in
            let number = self.state.withLock { state -> Int? in
                guard !state.isFinished else { return nil }
                state.last += 1
                state.listeners[state.last] = continuation
                return state.last
            }
            guard let number else { return continuation.finish() }
            continuation.onTermination = { [weak self] _ in
                self?.state.withLock { $0.listeners[number] = nil }
            }
        }
    }

    /// Tells whoever listens now.
    package func tell(_ event: Event) {
        for listener in self.state.withLock({ Array($0.listeners.values) }) {
            listener.yield(event)
        }
    }

    /// There is nothing more to tell.
    package func finish() {
        let listeners = self.state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    deinit {
        self.finish()
    }
}
