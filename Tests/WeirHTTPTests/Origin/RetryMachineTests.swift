// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirHTTP

@Suite("The count of failures")
struct RetryMachineTests {
    private func delays(
        _ machine: inout RetryMachine,
        _ failure: RetryMachine.Failure,
        jitter: Double = 0.5
    ) -> [Duration] {
        var delays: [Duration] = []
        while case .retry(let delay) = machine.failed(failure, jitter: jitter) {
            delays.append(delay)
        }
        return delays
    }

    @Test("waits 0.25, 0.5, 1, 2 and 4 seconds, and gives up")
    func backsOff() {
        var machine = RetryMachine(RetryPolicy())
        #expect(
            self.delays(&machine, .lost)
                == [.milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4)]
        )
        #expect(machine.failed(.lost, jitter: 0.5) == .giveUp)
    }

    @Test("waits no longer than the longest pause")
    func isCapped() {
        var machine = RetryMachine(RetryPolicy(maximumRetries: 100))
        #expect(self.delays(&machine, .lost).dropFirst(4).allSatisfy { $0 == .seconds(4) })
    }

    @Test("with a time limit repeats until the time is over, and a last time at its end")
    func hasTime() {
        var machine = RetryMachine(RetryPolicy(maximumRetryTime: .seconds(60)))
        var budget = RetryBudget()
        var now = Duration.seconds(1_000)
        var pauses: [Duration] = []
        while true {
            machine.enter(budget, at: now)
            let decision = machine.failed(.unreached, jitter: 0.5)
            machine.leave(&budget)
            guard case .retry(let pause) = decision else { break }
            #expect(machine.nextAttempt == RequestAttempt(number: pauses.count + 2, limit: nil))
            pauses.append(pause)
            // Each attempt takes a second.
            now += pause + .seconds(1)
        }
        #expect(
            pauses.prefix(5) == [
                .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4),
            ]
        )
        #expect(pauses.count > 10 && pauses.allSatisfy { $0 <= .seconds(4) })
        #expect(now >= .seconds(1_060) && now <= .seconds(1_061))
    }

    @Test(
        "with a time limit restarts the limit after progress, and needs no clock for its own pauses"
    )
    func hasTimeAgain() {
        var machine = RetryMachine(RetryPolicy(maximumRetryTime: .seconds(3)))
        #expect(
            self.delays(&machine, .lost)
                == [.milliseconds(250), .milliseconds(500), .seconds(1), .milliseconds(1_250)]
        )
        machine.progressed()
        #expect(machine.failed(.lost, jitter: 0.5) == .retry(after: .milliseconds(250)))
        var none = RetryMachine(RetryPolicy(maximumRetryTime: .zero))
        #expect(none.failed(.lost, jitter: 0.5) == .giveUp)
        var asked = RetryMachine(RetryPolicy(maximumRetryTime: .seconds(90)))
        #expect(
            asked.failed(.refusedForNow(retryAfter: .seconds(60)), jitter: 0.5)
                == .retry(after: .seconds(60))
        )
        #expect(
            asked.failed(.refusedForNow(retryAfter: .seconds(60)), jitter: 0.5)
                == .waitIsTooLong(.seconds(60))
        )
    }

    @Test(
        "numbers the attempts and gives their limit",
        arguments: [
            (true, RetryMachine.Failure.lost, 6), (false, .unreached, 3), (false, .unanswered, 2),
        ]
    )
    func numbers(_ isInContact: Bool, _ failure: RetryMachine.Failure, _ limit: Int) {
        var machine = RetryMachine(RetryPolicy())
        if isInContact { machine.answered() }
        var attempts: [RequestAttempt] = []
        while case .retry = machine.failed(failure, jitter: 0.5) {
            attempts.append(machine.nextAttempt)
        }
        #expect(attempts == (2...limit).map { RequestAttempt(number: $0, limit: limit) })
    }

    @Test("never counts further than its limit, whatever fails")
    func numbersAnything() {
        let failures: [RetryMachine.Failure] = [
            .lost, .unreached, .unanswered, .refusedForNow(retryAfter: nil),
        ]
        for seed in UInt64(0)..<200 {
            var random = SeededGenerator(seed: seed)
            var machine = RetryMachine(RetryPolicy())
            for _ in 0..<20 {
                if Int.random(in: 0..<4, using: &random) == 0 { machine.answered() }
                if Int.random(in: 0..<8, using: &random) == 0 { machine.progressed() }
                let failure = failures.randomElement(using: &random) ?? .lost
                guard case .retry = machine.failed(failure, jitter: 0.5) else { break }
                let attempt = machine.nextAttempt
                #expect((2...(attempt.limit ?? 0)).contains(attempt.number), "seed \(seed)")
            }
        }
    }

    @Test("spreads each pause by a quarter to both sides")
    func spreads() {
        for (jitter, expected) in [(0.0, 187.5), (1.0, 312.5)] {
            var machine = RetryMachine(RetryPolicy())
            guard case .retry(let delay) = machine.failed(.lost, jitter: jitter) else {
                Issue.record("gave up")
                return
            }
            #expect(delay == .milliseconds(expected))
        }
    }

    @Test("tries three times to reach an unknown origin, and five times more for a known one")
    func triesFirstContactLess() {
        var first = RetryMachine(RetryPolicy())
        #expect(self.delays(&first, .unreached).count == 2)
        var silent = RetryMachine(RetryPolicy())
        #expect(self.delays(&silent, .unanswered).count == 1)
        var known = RetryMachine(RetryPolicy())
        known.answered()
        #expect(self.delays(&known, .unreached).count == 5)
    }

    @Test("starts again from the first pause after progress, and only then")
    func forgetsOnProgress() {
        var machine = RetryMachine(RetryPolicy())
        _ = machine.failed(.lost, jitter: 0.5)
        _ = machine.failed(.lost, jitter: 0.5)
        machine.answered()
        #expect(machine.failed(.lost, jitter: 0.5) == .retry(after: .seconds(1)))
        machine.progressed()
        #expect(machine.failed(.lost, jitter: 0.5) == .retry(after: .milliseconds(250)))
    }

    @Test("waits as long as the origin requests, up to 30 seconds")
    func obeysRetryAfter() {
        var machine = RetryMachine(RetryPolicy())
        #expect(
            machine.failed(.refusedForNow(retryAfter: .seconds(30)), jitter: 0)
                == .retry(after: .seconds(30))
        )
        #expect(
            machine.failed(.refusedForNow(retryAfter: .seconds(31)), jitter: 0)
                == .waitIsTooLong(.seconds(31))
        )
        #expect(
            machine.failed(.refusedForNow(retryAfter: .longestRetryAfter), jitter: 0)
                == .waitIsTooLong(.longestRetryAfter)
        )
        #expect(
            machine.failed(.refusedForNow(retryAfter: nil), jitter: 0.5)
                == .retry(after: .milliseconds(500))
        )
    }

    @Test("waits no longer in all than the longest single wait, until there is progress")
    func waitsOnce() {
        var machine = RetryMachine(RetryPolicy())
        for _ in 0..<3 {
            #expect(
                machine.failed(.refusedForNow(retryAfter: .seconds(10)), jitter: 0)
                    == .retry(after: .seconds(10))
            )
        }
        #expect(
            machine.failed(.refusedForNow(retryAfter: .seconds(10)), jitter: 0)
                == .waitIsTooLong(.seconds(10))
        )
        machine.progressed()
        #expect(
            machine.failed(.refusedForNow(retryAfter: .seconds(30)), jitter: 0)
                == .retry(after: .seconds(30))
        )
    }

    @Test("gives up at once where the policy says never")
    func obeysNever() {
        var machine = RetryMachine(.never)
        #expect(machine.failed(.lost, jitter: 0.5) == .giveUp)
    }

    @Test("keeps its pause if the origin requests none")
    func keepsPause() {
        var machine = RetryMachine(RetryPolicy())
        #expect(
            self.delays(&machine, .refusedForNow(retryAfter: .zero))
                == [.milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4)]
        )
    }

    @Test("is not reset by a byte, but by 16 KiB or a tenth of the rest")
    func needsProgress() {
        var machine = RetryMachine(RetryPolicy())
        for _ in 0..<5 {
            guard case .retry = machine.failed(.lost, jitter: 0.5) else {
                Issue.record("gave up")
                return
            }
            machine.progressed(by: 1, before: 100_000)
        }
        #expect(machine.failed(.lost, jitter: 0.5) == .giveUp)
        machine.progressed(by: 9_000, before: 90_000)
        #expect(machine.failed(.lost, jitter: 0.5) == .giveUp)
        machine.progressed(by: 10_000, before: 90_000)
        #expect(machine.failed(.lost, jitter: 0.5) == .retry(after: .milliseconds(250)))
        machine.progressed(by: 16 << 10, before: nil)
        #expect(machine.failed(.lost, jitter: 0.5) == .retry(after: .milliseconds(250)))
    }

    @Test(
        "is shared: one break for several readings is one failure, with one pause for all"
    )
    func isShared() {
        var budget = RetryBudget()
        var (first, second) = (RetryMachine(RetryPolicy()), RetryMachine(RetryPolicy()))
        func fail(_ machine: inout RetryMachine, at now: Duration) -> RetryMachine.Decision {
            machine.enter(budget, at: now)
            defer { machine.leave(&budget) }
            return machine.failed(.lost, jitter: 0.5)
        }
        #expect(fail(&first, at: .zero) == .retry(after: .milliseconds(250)))
        #expect(fail(&second, at: .milliseconds(100)) == .retry(after: .milliseconds(150)))
        #expect(fail(&second, at: .milliseconds(250)) == .retry(after: .milliseconds(500)))
        #expect(fail(&first, at: .milliseconds(750)) == .retry(after: .seconds(1)))
        #expect(fail(&second, at: .milliseconds(1_750)) == .retry(after: .seconds(2)))
        #expect(fail(&first, at: .milliseconds(3_750)) == .retry(after: .seconds(4)))
        #expect(fail(&second, at: .milliseconds(7_750)) == .giveUp)
        #expect(fail(&first, at: .milliseconds(7_750)) == .giveUp)
    }
}
