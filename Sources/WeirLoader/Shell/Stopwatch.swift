// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Measures how long something takes, by any clock.
struct Stopwatch: Sendable {
    private let look: @Sendable () -> Duration

    /// Starts.
    init(_ clock: any Clock<Duration>) {
        self.look = Stopwatch.start(clock)
    }

    /// The time since the start.
    var elapsed: Duration { self.look() }

    /// Starts, and counts as if it had been started earlier by a time.
    init(_ clock: any Clock<Duration>, ago time: Duration) {
        let look = Stopwatch.start(clock)
        self.look = { look() + time }
    }

    /// Seconds since the start.
    var seconds: Double { self.look() / .seconds(1) }

    private static func start<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
