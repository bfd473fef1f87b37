// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A clock that a test moves by hand.
///
/// A task that sleeps on it is suspended until ``advance(by:)`` has moved the time to its deadline, or until it is
/// cancelled. A test waits with ``waitForSleepers(_:)`` until the code under test sleeps, and then moves the time: so
/// the order is never left to chance.
public final class ManualClock: Clock, Sendable {
    /// A point in the clock's time.
    public struct Instant: InstantProtocol {
        /// The distance of the point from the clock's start.
        public let offset: Duration

        /// The point at a distance from the clock's start.
        public init(offset: Duration = .zero) {
            self.offset = offset
        }

        /// A later point.
        public func advanced(by duration: Duration) -> Instant {
            Instant(offset: self.offset + duration)
        }

        /// The time from this point to another.
        public func duration(to other: Instant) -> Duration {
            other.offset - self.offset
        }

        /// Whether one point is earlier than another.
        public static func < (left: Instant, right: Instant) -> Bool {
            left.offset < right.offset
        }
    }

    private struct State: Sendable {
        var now = Instant()
        /// The deadlines of the sleeping tasks.
        var sleepers: [UInt64: Instant] = [:]
        var lastID: UInt64 = 0
    }

    private let state = Watched(State())

    /// Makes a clock that is at its start.
    public init() {}

    /// The current time of the clock.
    public var now: Instant { self.state.value.now }

    /// The clock moves in steps of any size.
    public var minimumResolution: Duration { .nanoseconds(1) }

    /// How many tasks sleep.
    public var sleeperCount: Int { self.state.value.sleepers.count }

    /// The time that each sleeping task still sleeps, the shortest first.
    public var remainingSleeps: [Duration] {
        let state = self.state.value
        return state.sleepers.values.map { state.now.duration(to: $0) }.sorted()
    }

    /// Moves the time, and wakes the tasks whose deadline it has reached.
    ///
    /// Returns before the woken tasks have run; a task that then sleeps again counts from the new time.
    ///
    /// - Parameter duration: zero or more.
    public func advance(by duration: Duration) {
        precondition(duration >= .zero, "time does not go back")
        self.state.update { state in
            state.now = state.now.advanced(by: duration)
            let now = state.now
            state.sleepers = state.sleepers.filter { $0.value > now }
        }
    }

    /// Waits until at least this many tasks sleep; returns early if the calling task is cancelled.
    public func waitForSleepers(_ count: Int) async {
        try? await self.state.wait { $0.sleepers.count >= count }
    }

    /// Sleeps until the time has reached a deadline; returns at once if it already has.
    ///
    /// - Throws: `CancellationError`, at once, if the calling task is cancelled.
    public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
        try Task.checkCancellation()
        let id = self.state.update { state -> UInt64? in
            guard deadline > state.now else { return nil }
            state.lastID += 1
            state.sleepers[state.lastID] = deadline
            return state.lastID
        }
        guard let id else { return }
        defer { self.state.update { $0.sleepers[id] = nil } }
        try await self.state.wait { $0.now >= deadline }
    }
}
