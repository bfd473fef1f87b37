// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

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

    @Test("tries three times to reach an origin that never answered, five times more one that had")
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

    @Test("waits as long as the origin asks, up to 30 seconds")
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
            machine.failed(.refusedForNow(retryAfter: RetryAfter.forever), jitter: 0)
                == .waitIsTooLong(RetryAfter.forever)
        )
        #expect(
            machine.failed(.refusedForNow(retryAfter: nil), jitter: 0.5)
                == .retry(after: .milliseconds(500))
        )
    }

    @Test("gives up at once where the policy says never")
    func obeysNever() {
        var machine = RetryMachine(.never)
        #expect(machine.failed(.lost, jitter: 0.5) == .giveUp)
    }
}
