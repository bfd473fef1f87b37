// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Tells any number of listeners the same events.
final class EventHub: Sendable {
    private struct State {
        var listeners: [Int: AsyncStream<MediaAssetEvent>.Continuation] = [:]
        var lastNumber = 0
        var isFinished = false
        var hasLoadedWhole = false
    }

    private let state = Mutex(State())

    /// The events from now on, and whether the medium has been loaded whole before; a slow listener loses the oldest,
    /// after 64.
    func events() -> AsyncStream<MediaAssetEvent> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: MediaAssetEvent.self,
            bufferingPolicy: .bufferingNewest(64)
        )
        let number = self.state.withLock { state -> Int? in
            guard !state.isFinished else { return nil }
            state.lastNumber += 1
            state.listeners[state.lastNumber] = continuation
            if state.hasLoadedWhole { continuation.yield(.loadedWhole) }
            return state.lastNumber
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    func tell(_ event: MediaAssetEvent) {
        let listeners = self.state.withLock { state in
            if case .loadedWhole = event { state.hasLoadedWhole = true }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.yield(event) }
    }

    func finish() {
        let listeners = self.state.withLock { state in
            state.isFinished = true
            defer { state.listeners = [:] }
            return Array(state.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}
