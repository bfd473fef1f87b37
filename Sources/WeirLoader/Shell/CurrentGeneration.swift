// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirSource

/// The generation that readers get at this moment: what the warm path looks at, under a lock.
final class CurrentGeneration: Sendable {
    private struct State {
        var generation: Generation?
        var listeners: [Int: AsyncStream<Availability>.Continuation] = [:]
        var lastListener = 0
    }

    private let state = Mutex(State())

    var generation: Generation? {
        self.state.withLock { $0.generation }
    }

    func set(_ generation: Generation?) {
        self.state.withLock { $0.generation = generation }
        self.announce()
    }

    var availability: Availability {
        guard let generation = self.generation else {
            return Availability(held: RangeSet(), length: nil)
        }
        return Availability(held: generation.held, length: generation.description.length)
    }

    /// Tells the listeners, if there are any, how it stands.
    func announce() {
        let listeners = self.state.withLock { Array($0.listeners.values) }
        guard !listeners.isEmpty else { return }
        let availability = self.availability
        for listener in listeners { listener.yield(availability) }
    }

    func changes() -> AsyncStream<Availability> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Availability.self,
            bufferingPolicy: .bufferingNewest(1)
        )
        let number = self.state.withLock { state in
            state.lastListener += 1
            state.listeners[state.lastListener] = continuation
            return state.lastListener
        }
        continuation.onTermination = { _ in
            _ = self.state.withLock { $0.listeners.removeValue(forKey: number) }
        }
        continuation.yield(self.availability)
        return stream
    }
}
