// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Measures how long something takes, by any clock.
struct Stopwatch: Sendable {
    private let elapsed: @Sendable () -> Duration

    /// Starts.
    init(_ clock: any Clock<Duration>) {
        self.elapsed = Stopwatch.start(clock)
    }

    /// Seconds since the start.
    var seconds: Double { self.elapsed() / .seconds(1) }

    private static func start<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
