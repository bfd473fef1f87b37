// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Tells any number of listeners the same elements, each listener through a bounded buffer of its own.
///
/// Every listener gets the elements in the order in which they were told. A listener that falls behind loses the oldest.
/// Telling wakes tasks and calls no code of the listeners, so it may be done under a lock that no cancellation handler
/// takes: a state that is changed and told under one lock, and whose streams are made under it, is told without a gap and
/// without an element too many.
package final class Broadcast<Element: Sendable>: Sendable {
    /// An element with its place among all that were told, from 0 on.
    fileprivate typealias Numbered = (number: Int, element: Element)

    private struct State {
        /// How many elements were told.
        var count = 0
        var past: [Element] = []
        var lastListener = 0
        var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
        var countingListeners: [Int: AsyncStream<Numbered>.Continuation] = [:]
        var isFinished = false
    }

    private let capacity: Int
    private let replayCount: Int
    private let state = Mutex(State())

    /// The listeners that have let go of their streams, until ``state`` is looked at again.
    ///
    /// A stream ends while the cancellation of its task holds that task, and waking the task waits for it: the end of a
    /// stream must not wait for ``state``, under which tasks are woken. This lock is held for nothing but the array.
    private let departed = Mutex<[Int]>([])

    /// A broadcast without listeners.
    ///
    /// - Parameters:
    ///   - capacity: how many elements a listener may be behind; at least 1.
    ///   - replayCount: how many of the last elements a new listener is told first; at most `capacity`.
    package init(capacity: Int = 256, replaying replayCount: Int = 0) {
        self.capacity = capacity
        self.replayCount = replayCount
    }

    deinit {
        self.finish()
    }

    /// Whether a listener is there.
    ///
    /// Without one, nothing is lost if an element is not even made.
    package var hasListeners: Bool {
        self.withListeners { !$0.listeners.isEmpty || !$0.countingListeners.isEmpty }
    }

    /// Adds a listener, until its stream is let go of or the broadcast finishes.
    ///
    /// - Parameter first: an element for this listener alone, ahead of all others.
    /// - Returns: the elements that are replayed, and those that are told from now on. Of a broadcast that has finished,
    ///   `first` and the elements that are replayed.
    package func stream(startingWith first: Element? = nil) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Element.self,
            bufferingPolicy: .bufferingNewest(self.capacity)
        )
        let number = self.withListeners { state -> Int? in
            if let first { continuation.yield(first) }
            for element in state.past { continuation.yield(element) }
            guard !state.isFinished else { return nil }
            state.lastListener += 1
            state.listeners[state.lastListener] = continuation
            return state.lastListener
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.departed.withLock { $0.append(number) }
        }
        return stream
    }

    /// Tells every listener an element; after ``finish()`` nothing happens.
    package func tell(_ element: Element) {
        self.withListeners { state in
            guard !state.isFinished else { return }
            if self.replayCount > 0 {
                if state.past.count == self.replayCount { state.past.removeFirst() }
                state.past.append(element)
            }
            for listener in state.listeners.values { listener.yield(element) }
            for listener in state.countingListeners.values {
                listener.yield((state.count, element))
            }
            state.count += 1
        }
    }

    /// Ends every stream, once its listener has had what it was told.
    ///
    /// Any number of times.
    package func finish() {
        let (listeners, countingListeners) = self.state.withLock { state in
            state.isFinished = true
            defer { (state.listeners, state.countingListeners) = ([:], [:]) }
            return (Array(state.listeners.values), Array(state.countingListeners.values))
        }
        for listener in listeners { listener.finish() }
        for listener in countingListeners { listener.finish() }
    }

    /// Looks at the state, once the listeners that have gone are out of it.
    private func withListeners<Result: Sendable>(
        _ body: (inout sending State) -> sending Result
    ) -> Result {
        self.state.withLock { state in
            let departed = self.departed.withLock { departed in
                defer { departed = [] }
                return departed
            }
            for number in departed {
                state.listeners[number] = nil
                state.countingListeners[number] = nil
            }
            return body(&state)
        }
    }
}

/// An event whose stream says how many events a slow listener has lost.
package protocol LossyEvent: Sendable {
    /// The event that stands for this number of lost events, ahead of the next one.
    static func missed(_ count: Int) -> Self
}

extension Broadcast where Element: LossyEvent {
    /// As ``stream(startingWith:)``; where a listener has lost elements, it gets `missed` with their number instead.
    ///
    /// Of a broadcast that replays elements, those that were told before the oldest of them are lost, too.
    package func events() -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Numbered.self,
            bufferingPolicy: .bufferingNewest(self.capacity)
        )
        let (listener, first) = self.withListeners { state -> (Int?, Int) in
            let oldest = state.count - state.past.count
            for (index, element) in state.past.enumerated() {
                continuation.yield((oldest + index, element))
            }
            let first = self.replayCount > 0 ? 0 : state.count
            guard !state.isFinished else { return (nil, first) }
            state.lastListener += 1
            state.countingListeners[state.lastListener] = continuation
            return (state.lastListener, first)
        }
        if let listener {
            continuation.onTermination = { [weak self] _ in
                self?.departed.withLock { $0.append(listener) }
            }
        } else {
            continuation.finish()
        }
        let listening = CountingListener(stream, from: first)
        return AsyncStream { await listening.next() }
    }
}

/// Finds the gaps in what a listener gets, by the numbers of the elements.
private final class CountingListener<Element: LossyEvent>: Sendable {
    private struct State {
        /// The number of the next element, if none is lost.
        var expected: Int
        /// What follows a `missed` that was handed over.
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
