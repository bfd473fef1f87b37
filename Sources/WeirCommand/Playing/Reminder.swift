// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Reports that a station has not answered yet, with the elapsed time and the limit.
///
/// The client for other origins reports that itself.
struct Reminder: Sendable {
    private let clock: any Clock<Duration>
    private let say: @Sendable (String) -> Void

    /// A reminder.
    ///
    /// - Parameters:
    ///   - clock: measures the time.
    ///   - say: takes the lines.
    init(clock: any Clock<Duration> = ContinuousClock(), say: @escaping @Sendable (String) -> Void)
    {
        self.clock = clock
        self.say = say
    }

    /// Does work, and writes a line at the times of ``/WeirSource/WaitNotices``.
    ///
    /// - Parameters:
    ///   - name: the name of the server.
    ///   - limit: how long the work may take.
    ///   - work: the work, which may wait for the server.
    /// - Returns: the result of the work.
    /// - Throws: the errors of the work.
    func during<Result>(
        _ name: String,
        limit: Duration,
        _ work: () async throws -> Result
    ) async throws -> Result {
        let timeline = Timeline(self.clock)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                var notices = WaitNotices()
                let start = timeline.elapsed()
                while true {
                    let time = timeline.elapsed() - start
                    let (isDue, next) = notices.waited(time)
                    if isDue { self.say(SourceEvent.silence(of: name, for: time, limit: limit)) }
                    try await timeline.sleep(next)
                }
            }
            return try await work()
        }
    }
}
