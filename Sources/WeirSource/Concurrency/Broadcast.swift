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
    private struct State {
        var past: [Element] = []
        var lastListener = 0
        var listeners: [Int: AsyncStream<Element>.Continuation] = [:]
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
    package var hasListeners: Bool { self.withListeners { !$0.listeners.isEmpty } }

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
        }
    }

    /// Ends every stream, once its listener has had what it was told.
    ///
    /// Any number of times.
    package func finish() {
        let listeners = self.state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
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
            for number in departed { state.listeners[number] = nil }
            return body(&state)
        }
    }
}
