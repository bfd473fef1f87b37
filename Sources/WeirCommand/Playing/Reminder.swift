// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Says what is waited for, where that takes longer than a person waits without a word.
struct Reminder: Sendable {
    /// How long nothing is said.
    static let patience: Duration = .seconds(3)

    private let clock: any Clock<Duration>
    private let say: @Sendable (String) -> Void

    /// A reminder.
    ///
    /// - Parameters:
    ///   - clock: what time is.
    ///   - say: takes the line.
    init(clock: any Clock<Duration> = ContinuousClock(), say: @escaping @Sendable (String) -> Void)
    {
        self.clock = clock
        self.say = say
    }

    /// Does work, and says a line once if it takes long.
    ///
    /// - Parameters:
    ///   - line: what is said.
    ///   - work: what may take long.
    /// - Returns: what the work does.
    /// - Throws: what the work throws.
    func during<Result>(_ line: String, _ work: () async throws -> Result) async throws -> Result {
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                try await self.clock.sleep(for: Self.patience)
                self.say(line)
            }
            return try await work()
        }
    }
}
