// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Sends the same elements to any number of listeners, each through a bounded buffer of its own.
///
/// Every listener gets the elements in the order in which they were sent. A listener that falls
/// behind loses the oldest elements. Sending wakes tasks and calls no code of the listeners. So
/// ``tell(_:)`` may be called under a lock that no cancellation handler takes. If one lock guards
/// the state, its changes, the sending and the making of streams, then a stream misses no change
/// and gets no change twice.
package final class Broadcast<Element: Sendable>: Sendable {
    /// An element with its number among all sent elements, from 0 on.
    fileprivate typealias Numbered = (number: Int, element: Element)

    /// The sending side of a listener's stream.
    private struct Listener: Sendable {
        let tell: @Sendable (Numbered) -> Void
        let finish: @Sendable () -> Void
    }

    private struct State {
        /// How many elements were sent.
        var count = 0
        var past: [Element] = []
        var lastListener = 0
        var listeners: [Int: Listener] = [:]
        var isFinished = false
    }

    private let capacity: Int
    private let replayCount: Int
    private let state = Mutex(State())
    /// Whether a stream was ever made; most broadcasts of media never have a listener.
    ///
    /// A sender that must not miss a new listener changes its state under the lock under which the
    /// listener reads it. That lock also orders this value.
    private let wasHeard = Atomic(false)

    /// The listeners whose streams have ended, until the next access to ``state`` removes them.
    ///
    /// During a cancellation the runtime locks the task, and code that wakes this task waits for
    /// that lock. A stream may end in this time. So the end of a stream must not wait for
    /// ``state``, because tasks are woken under that lock. The lock of this array guards nothing
    /// else.
    private let departed = Mutex<[Int]>([])

    /// A broadcast without listeners.
    ///
    /// - Parameters:
    ///   - capacity: how many elements a listener may be behind; at least 1.
    ///   - replayCount: how many of the last elements a new listener gets first; at most
    ///     `capacity`.
    package init(capacity: Int = 256, replaying replayCount: Int = 0) {
        self.capacity = capacity
        self.replayCount = replayCount
    }

    deinit {
        if self.wasHeard.load(ordering: .relaxed) { self.finish() }
    }

    /// Whether the broadcast has a listener.
    ///
    /// Without a listener, the caller need not make an element.
    package var hasListeners: Bool {
        self.wasHeard.load(ordering: .relaxed) && self.withListeners { !$0.listeners.isEmpty }
    }

    /// Adds a listener; it stays until its stream is cancelled or deallocated, or the broadcast
    /// finishes.
    ///
    /// - Parameter first: an element for this listener alone, before all others.
    /// - Returns: the replayed elements, and the elements sent from now on. If the broadcast has
    ///   finished, `first` and the replayed elements.
    package func stream(startingWith first: Element? = nil) -> AsyncStream<Element> {
        self.listen(startingWith: first) { $0.element }.stream
    }

    /// Adds a listener that gets a value made from each element and its number.
    ///
    /// - Returns: its stream, and the number of the next sent element.
    private func listen<Given: Sendable>(
        startingWith first: Given? = nil,
        giving given: @escaping @Sendable (Numbered) -> Given
    ) -> (stream: AsyncStream<Given>, next: Int) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Given.self,
            bufferingPolicy: .bufferingNewest(self.capacity)
        )
        self.wasHeard.store(true, ordering: .relaxed)
        let (listener, next) = self.withListeners { state -> (Int?, Int) in
            if let first { continuation.yield(first) }
            let oldest = state.count - state.past.count
            for (index, element) in state.past.enumerated() {
                continuation.yield(given((oldest + index, element)))
            }
            guard !state.isFinished else { return (nil, state.count) }
            state.lastListener += 1
            state.listeners[state.lastListener] = Listener(
                tell: { continuation.yield(given($0)) },
                finish: { continuation.finish() }
            )
            return (state.lastListener, state.count)
        }
        if let listener {
            continuation.onTermination = { [weak self] _ in
                self?.departed.withLock { $0.append(listener) }
            }
        } else {
            continuation.finish()
        }
        return (stream, next)
    }

    /// Sends an element to every listener; does nothing after ``finish()``.
    package func tell(_ element: Element) {
        guard self.replayCount > 0 || self.wasHeard.load(ordering: .relaxed) else { return }
        self.withListeners { state in
            guard !state.isFinished else { return }
            if self.replayCount > 0 {
                if state.past.count == self.replayCount { state.past.removeFirst() }
                state.past.append(element)
            }
            for listener in state.listeners.values { listener.tell((state.count, element)) }
            state.count += 1
        }
    }

    /// Ends every stream after its listener has received the buffered elements.
    ///
    /// May be called any number of times.
    package func finish() {
        let listeners = self.state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }

    /// Accesses the state after removing the ended listeners.
    private func withListeners<Result: Sendable>(
        _ body: (inout sending State) -> sending Result
    ) -> Result {
        self.state.withLock { state in
            let departed = self.departed.withLock { departed in
                defer { departed = [] }
                return departed
            }
            for number in departed { state.listeners[number] = nil }
            return body(&state)
        }
    }
}

/// An event whose stream reports how many events a slow listener has lost.
package protocol LossyEvent: Sendable {
    /// The event that reports this number of lost events, before the next event.
    static func missed(_ count: Int) -> Self
}

extension Broadcast where Element: LossyEvent {
    /// As ``stream(startingWith:)``; in place of lost elements a listener gets `missed` with the
    /// number of lost elements.
    ///
    /// If the broadcast replays elements, elements before the oldest replayed one count as lost,
    /// too.
    package func events() -> AsyncStream<Element> {
        let (stream, next) = self.listen { $0 }
        let listening = CountingListener(stream, from: self.replayCount > 0 ? 0 : next)
        return AsyncStream { await listening.next() }
    }
}

/// Finds the gaps in a listener's elements by their numbers.
private final class CountingListener<Element: LossyEvent>: Sendable {
    private struct State {
        /// The number of the next element, if no element is lost.
        var expected: Int
        /// The element to return after a `missed`.
        var held: Element?
    }

    private let stream: AsyncStream<Broadcast<Element>.Numbered>
    private let state: Mutex<State>

    init(_ stream: AsyncStream<Broadcast<Element>.Numbered>, from expected: Int) {
        self.stream = stream
        self.state = Mutex(State(expected: expected))
    }

    func next() async -> Element? {
        if let held = self.state.withLock({ $0.held.take() }) { return held }
        // All iterators of a stream share its elements.
        var iterator = self.stream.makeAsyncIterator()
        guard let (number, element) = await iterator.next() else { return nil }
        return self.state.withLock { state in
            let lost = number - state.expected
            state.expected = number + 1
            guard lost > 0 else { return element }
            state.held = element
            return .missed(lost)
        }
    }
}
