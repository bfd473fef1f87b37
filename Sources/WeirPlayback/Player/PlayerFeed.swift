// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Tells any number of listeners, each with a buffer of its own that forgets the oldest.
final class PlayerFeed<Element: Sendable>: Sendable {
    private struct Listener {
        /// What is no newer than this was true before the listener came, or was told already.
        var last: UInt64
        let continuation: AsyncStream<Element>.Continuation
    }

    private struct State {
        var last = 0
        var listeners: [Int: Listener] = [:]
        var isFinished = false
    }

    private let policy: AsyncStream<Element>.Continuation.BufferingPolicy
    private let state = Mutex(State())

    init(_ policy: AsyncStream<Element>.Continuation.BufferingPolicy) {
        self.policy = policy
    }

    /// What comes from now on.
    ///
    /// - Parameter order: what is numbered so, or lower, is no news any more, though it may yet be on its way.
    /// - Returns: a stream of the listener's own.
    func stream(after order: UInt64) -> AsyncStream<Element> {
        self.listener(after: order).stream
    }

    /// What is now, and what comes from now on: nothing in between is lost, and nothing older comes behind it.
    ///
    /// - Parameter now: what is now, with its number; asked once the listener is there.
    /// - Returns: a stream of the listener's own.
    func stream(from now: () -> (Element, UInt64)) -> AsyncStream<Element> {
        let (stream, number, continuation) = self.listener(after: 0)
        let (element, order) = now()
        self.state.withLock { state in
            guard let listener = state.listeners[number] else {
                continuation.yield(element)
                return
            }
            // Something newer may have been told meanwhile.
            guard listener.last <= order else { return }
            state.listeners[number]?.last = order
            continuation.yield(element)
        }
        return stream
    }

    private func listener(
        after order: UInt64
    ) -> (stream: AsyncStream<Element>, Int, AsyncStream<Element>.Continuation) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self,
            bufferingPolicy: self.policy
        )
        let number = self.state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.last += 1
            state.listeners[state.last] = Listener(last: order, continuation: continuation)
            return state.last
        }
        guard let number else {
            continuation.finish()
            return (stream, 0, continuation)
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.listeners.removeValue(forKey: number) }
        }
        return (stream, number, continuation)
    }

    /// Tells all for whom it is news.
    ///
    /// - Parameters:
    ///   - element: what is told.
    ///   - order: its number, higher than any told before.
    func tell(_ element: Element, _ order: UInt64) {
        self.state.withLock { state in
            for (number, listener) in state.listeners where listener.last < order {
                state.listeners[number]?.last = order
                // Wakes a task, and calls nobody: it may be done under the lock, which keeps the order.
                listener.continuation.yield(element)
            }
        }
    }

    /// Nothing more comes.
    func finish() {
        let listeners = self.state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.continuation.finish() }
    }
}
