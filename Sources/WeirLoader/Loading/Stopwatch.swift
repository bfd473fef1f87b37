// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How fast a request was answered, and how fast its bytes have come since.
struct Pace: Sendable {
    /// Seconds from the request to the head of its answer.
    let latency: Double
    /// Seconds since then.
    let seconds: Double
    /// Bytes that came in them.
    let byteCount: Int64

    /// Bytes a second, once there is enough time to tell by: a hundredth of a second.
    var rate: Double? {
        self.seconds > 0.01 ? Double(self.byteCount) / self.seconds : nil
    }
}

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
        if C.self == ContinuousClock.self {
            // A request that is answered from the disk looks twice: a clock that is known is read in a third of the time.
            let start = ContinuousClock.now
            return { start.duration(to: .now) }
        }
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
