// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The response time of a request, and the speed of its bytes since.
struct Pace: Sendable {
    /// Seconds from the request to the head of the response.
    let latency: Double
    /// Seconds since then.
    let seconds: Double
    /// How many bytes arrived in that time.
    let byteCount: Int64

    /// Bytes per second; `nil` in the first hundredth of a second.
    var rate: Double? {
        self.seconds > 0.01 ? Double(self.byteCount) / self.seconds : nil
    }
}

/// Measures elapsed time with any clock.
struct Stopwatch: Sendable {
    private let look: @Sendable () -> Duration

    /// Starts now.
    init(_ clock: any Clock<Duration>) {
        self.look = Stopwatch.start(clock)
    }

    /// The time since the start.
    var elapsed: Duration { self.look() }

    /// Starts as if it had been started earlier.
    init(_ clock: any Clock<Duration>, ago time: Duration) {
        let look = Stopwatch.start(clock)
        self.look = { look() + time }
    }

    /// Seconds since the start.
    var seconds: Double { self.look() / .seconds(1) }

    private static func start<C: Clock<Duration>>(_ clock: C) -> @Sendable () -> Duration {
        if C.self == ContinuousClock.self {
            // A request that is served from the disk reads the clock twice. Reading a known type of clock takes a
            // third of the time.
            let start = ContinuousClock.now
            return { start.duration(to: .now) }
        }
        let start = clock.now
        return { start.duration(to: clock.now) }
    }
}
