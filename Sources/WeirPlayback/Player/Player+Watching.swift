// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension Player {
    /// The state of the player now.
    public var snapshot: PlayerSnapshot { self.core.withStore { $0.snapshot } }

    /// The snapshot now, and a new one after each change; a slow listener gets the newest.
    ///
    /// Ends when the player is dropped.
    public func snapshots() -> AsyncStream<PlayerSnapshot> {
        self.core.withStore { $0.snapshots.stream(startingWith: $0.snapshot) }
    }

    /// The events from now on, in order; a slow listener loses the oldest, after 4,096.
    public func events() -> AsyncStream<PlayerEvent> {
        self.core.withStore { $0.events.stream() }
    }

    /// The state now, and each that follows; a listener that keeps up misses none.
    public func states() -> AsyncStream<PlayerState> {
        let events = self.events()
        let now = self.snapshot.state
        return self.derived { continuation in
            var last = now
            continuation.yield(now)
            for await event in events {
                guard case .stateChanged(let state, _, _) = event, state != last else { continue }
                last = state
                continuation.yield(state)
            }
        }
    }

    /// The position that is heard, from the item's beginning.
    public func positions() -> AsyncStream<Duration> { self.changes { $0.position } }

    /// How much sound is at hand behind the position.
    public func bufferedTimes() -> AsyncStream<Duration> { self.changes { $0.buffered } }

    /// The title of what is heard; `nil` while it is unknown.
    public func titles() -> AsyncStream<String?> { self.changes { $0.title } }

    /// How loud what is heard is.
    public func levels() -> AsyncStream<AudioLevel> { self.changes { $0.level } }

    /// Calls a function with every snapshot, on the main actor, until the observation is dropped.
    ///
    /// - Parameter body: is given the newest snapshot; those that came while it was busy are left out.
    /// - Returns: the observation; keep it for as long as the calls are wanted.
    @MainActor
    public func observe(
        _ body: @escaping @MainActor (PlayerSnapshot) -> Void
    ) -> PlayerObservation {
        let snapshots = self.snapshots()
        // Belongs to the observation, which cancels it.
        let task = Task { @MainActor in
            for await snapshot in snapshots {
                guard !Task.isCancelled else { return }
                body(snapshot)
            }
        }
        return PlayerObservation { task.cancel() }
    }

    /// Calls a function with every snapshot, on an actor of the caller's, until the observation is dropped.
    ///
    /// - Parameters:
    ///   - actor: where the function is called: from within an actor, `self`.
    ///   - body: is given the newest snapshot; those that came while it was busy are left out.
    /// - Returns: the observation; keep it for as long as the calls are wanted.
    public func observe(
        on actor: isolated any Actor,
        _ body: @escaping (PlayerSnapshot) -> Void
    ) -> PlayerObservation {
        let snapshots = self.snapshots()
        // Belongs to the observation, which cancels it; runs on the caller's actor.
        let task = Task {
            _ = actor
            for await snapshot in snapshots {
                guard !Task.isCancelled else { return }
                body(snapshot)
            }
        }
        return PlayerObservation { task.cancel() }
    }

    /// Returns when the player has stopped, at once if it has, or was never started.
    ///
    /// - Returns: the snapshot then; if the task is cancelled, the snapshot now.
    public func waitUntilStopped() async -> PlayerSnapshot {
        let snapshots = self.snapshots()
        for await snapshot in snapshots
        where snapshot.state == .stopped || snapshot.state == .initialized {
            return snapshot
        }
        return self.snapshot
    }

    private func changes<Value: Equatable & Sendable>(
        _ value: @escaping @Sendable (PlayerSnapshot) -> Value
    ) -> AsyncStream<Value> {
        let snapshots = self.snapshots()
        return self.derived(.bufferingNewest(1)) { continuation in
            var last: Value?
            for await snapshot in snapshots {
                let now = value(snapshot)
                guard last != now else { continue }
                last = now
                continuation.yield(now)
            }
        }
    }

    private func derived<Value: Sendable>(
        _ policy: AsyncStream<Value>.Continuation.BufferingPolicy = .bufferingNewest(256),
        _ body: @escaping @Sendable (AsyncStream<Value>.Continuation) async -> Void
    ) -> AsyncStream<Value> {
        let (stream, continuation) = AsyncStream.makeStream(of: Value.self, bufferingPolicy: policy)
        // Belongs to the stream, whose end cancels it; ends with the player.
        let task = Task(executorPreference: self.core.options.executor) {
            await body(continuation)
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }
}

/// The calls of a function with snapshots; they end when this is dropped or cancelled.
public final class PlayerObservation: Sendable {
    private let end: @Sendable () -> Void

    init(_ end: @escaping @Sendable () -> Void) {
        self.end = end
    }

    deinit { self.end() }

    /// Ends the calls: none begins from now on, as seen from the actor of the function.
    public func cancel() { self.end() }
}
