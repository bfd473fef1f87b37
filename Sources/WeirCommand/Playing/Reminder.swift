// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Says that a station has not answered yet, with the time that has passed and the limit.
///
/// Origins are asked by a client that tells this itself.
struct Reminder: Sendable {
    private let clock: any Clock<Duration>
    private let say: @Sendable (String) -> Void

    /// A reminder.
    ///
    /// - Parameters:
    ///   - clock: what time is.
    ///   - say: takes the lines.
    init(clock: any Clock<Duration> = ContinuousClock(), say: @escaping @Sendable (String) -> Void)
    {
        self.clock = clock
        self.say = say
    }

    /// Does work, and says a line as often as ``/WeirSource/WaitNotices`` wants it.
    ///
    /// - Parameters:
    ///   - name: what is asked.
    ///   - limit: how long the work takes at most.
    ///   - work: what may take long.
    /// - Returns: what the work does.
    /// - Throws: what the work throws.
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
