// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirTestKit

@testable import WeirCommand

@Suite("What is waited for")
struct ReminderTests {
    @Test("is said once, after three seconds")
    func late() async throws {
        let clock = ManualClock()
        let (lines, continuation) = AsyncStream<String>.makeStream()
        let reminder = Reminder(clock: clock) { continuation.yield($0) }
        let result = try await reminder.during("x is waited for.") {
            await clock.waitForSleepers(1)
            clock.advance(by: Reminder.patience)
            for await line in lines { return line }
            return ""
        }
        #expect(result == "x is waited for.")
    }

    @Test("is not said of what comes in time, nor of what fails")
    func inTime() async throws {
        let clock = ManualClock()
        let lines = Mutex<[String]>([])
        let reminder = Reminder(clock: clock) { line in lines.withLock { $0.append(line) } }
        let result = try await reminder.during("x is waited for.") {
            await clock.waitForSleepers(1)
            clock.advance(by: Reminder.patience - .milliseconds(1))
            return 7
        }
        #expect(result == 7)
        await #expect(throws: CancellationError.self) {
            try await reminder.during("x is waited for.") { throw CancellationError() }
        }
        clock.advance(by: .seconds(60))
        #expect(lines.withLock { $0 } == [])
    }
}
