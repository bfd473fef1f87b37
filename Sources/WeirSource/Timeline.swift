// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A clock of any kind, as two functions; `any Clock` cannot measure, since the type of its instants is unknown.
package struct Timeline: Sendable {
    /// The time since the timeline was made.
    package let elapsed: @Sendable () -> Duration
    /// Sleeps; throws `CancellationError`, at once, when the task is cancelled.
    package let sleep: @Sendable (Duration) async throws -> Void

    package init(_ clock: any Clock<Duration>) {
        self = Self.made(of: clock)
    }

    private init(
        elapsed: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.elapsed = elapsed
        self.sleep = sleep
    }

    private static func made<C: Clock<Duration>>(of clock: C) -> Timeline {
        let start = clock.now
        return Timeline(
            elapsed: { start.duration(to: clock.now) },
            sleep: { try await clock.sleep(for: $0) }
        )
    }
}
