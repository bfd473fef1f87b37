// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("A silent station")
struct ReminderTests {
    @Test("is reported after three seconds, after ten, and every ten, with the time and the limit")
    func late() async throws {
        let clock = ManualClock()
        let (lines, continuation) = AsyncStream<String>.makeStream()
        let reminder = Reminder(clock: clock) { continuation.yield($0) }
        let result = try await reminder.during("x", limit: .seconds(60)) {
            var told: [String] = []
            var next = lines.makeAsyncIterator()
            for step in [3, 7, 10, 10] {
                await clock.waitForSleepers(1)
                clock.advance(by: .seconds(step))
                told.append(await next.next() ?? "")
            }
            return told
        }
        #expect(
            result
                == [3, 10, 20, 30].map {
                    "  x has not answered for \($0) s; Weir waits up to 60 s."
                }
        )
    }

    @Test("is not reported if it answers in time or fails")
    func inTime() async throws {
        let clock = ManualClock()
        let lines = Mutex<[String]>([])
        let reminder = Reminder(clock: clock) { line in lines.withLock { $0.append(line) } }
        let result = try await reminder.during("x", limit: .seconds(60)) {
            await clock.waitForSleepers(1)
            clock.advance(by: WaitNotices.patience - .milliseconds(1))
            return 7
        }
        #expect(result == 7)
        await #expect(throws: CancellationError.self) {
            try await reminder.during("x", limit: .seconds(60)) { throw CancellationError() }
        }
        clock.advance(by: .seconds(60))
        #expect(lines.withLock { $0 } == [])
    }
}
