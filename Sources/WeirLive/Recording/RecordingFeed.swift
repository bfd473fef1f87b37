// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// Tells what happens in a recording: to who comes later, what happened before, too.
final class RecordingFeed: Sendable {
    /// How many events are kept for who comes later, and for who is slow.
    static let capacity = 256

    private struct State {
        var past: [RecordingEvent] = []
        var last = 0
        var listeners: [Int: AsyncStream<RecordingEvent>.Continuation] = [:]
        var isFinished = false
    }

    private let state = Mutex(State())

    /// The events from the first that is kept on; ends with the recording.
    func events() -> AsyncStream<RecordingEvent> {
        AsyncStream(bufferingPolicy: .bufferingNewest(Self.capacity)) { continuation in
            // Under the lock, so that nothing comes before what was before it; a stream that buffers never calls back.
            let number = self.state.withLock { state -> Int? in
                for event in state.past { continuation.yield(event) }
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

    /// Tells an event.
    func tell(_ event: RecordingEvent) {
        let listeners = self.state.withLock { state in
            if state.past.count == Self.capacity { state.past.removeFirst() }
            state.past.append(event)
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield(event) }
    }

    /// There is nothing more to tell.
    func finish() {
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
