// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@Suite("ManualClock", .timeLimit(.minutes(2)))
struct ManualClockTests {
    @Test("a sleeper wakes when the time has come, not before")
    func wakes() async throws {
        let clock = ManualClock()
        let woken = Watched([Int]())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for seconds in [3, 1, 2] {
                group.addTask {
                    try await clock.sleep(for: .seconds(seconds))
                    woken.update { $0.append(seconds) }
                }
            }
            await clock.waitForSleepers(3)
            #expect(clock.remainingSleeps == [.seconds(1), .seconds(2), .seconds(3)])
            clock.advance(by: .milliseconds(999))
            #expect(clock.sleeperCount == 3)
            for count in 1...3 {
                clock.advance(by: .milliseconds(count == 1 ? 1 : 1_000))
                #expect(clock.sleeperCount == 3 - count)
                try await woken.wait { $0.count == count }
            }
            try await group.waitForAll()
        }
        #expect(woken.value == [1, 2, 3])
        #expect(clock.now.offset == .seconds(3))
    }

    @Test("a deadline in the past needs no sleep")
    func passedDeadlines() async throws {
        let clock = ManualClock()
        clock.advance(by: .seconds(5))
        try await clock.sleep(for: .zero)
        try await clock.sleep(until: ManualClock.Instant(offset: .seconds(5)))
        #expect(clock.sleeperCount == 0)
    }

    @Test("a cancelled sleeper wakes at once with CancellationError and is no longer counted")
    func cancellation() async {
        let clock = ManualClock()
        await withTaskGroup(of: Void.self) { group in
            group.addTask {
                await #expect(throws: CancellationError.self) {
                    try await clock.sleep(for: .seconds(1))
                }
            }
            await clock.waitForSleepers(1)
            group.cancelAll()
            await group.waitForAll()
            #expect(clock.sleeperCount == 0)
            group.addTask {
                await #expect(throws: CancellationError.self) {
                    try await clock.sleep(for: .seconds(1))
                }
            }
        }
    }

    @Test("code that takes any clock sleeps on this one, again and again")
    func existentials() async throws {
        let clock = ManualClock()
        let rounds = Watched(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                let some: any Clock<Duration> = clock
                for _ in 0..<3 {
                    try await some.sleep(for: .seconds(10))
                    rounds.update { $0 += 1 }
                }
            }
            for round in 1...3 {
                await clock.waitForSleepers(1)
                clock.advance(by: .seconds(10))
                try await rounds.wait { $0 == round }
            }
        }
    }
}
