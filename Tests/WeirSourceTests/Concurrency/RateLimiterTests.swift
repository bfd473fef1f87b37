// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirSource

@Suite("The limit of a rate", .timeLimit(.minutes(1)))
struct RateLimiterTests {
    @Test("makes each wait for what any other took before")
    func makesWait() {
        let clock = ManualClock()
        let limiter = RateLimiter(bytesPerSecond: 1_000, clock: clock)
        #expect(limiter.reserve(2_000) == .zero)
        #expect(limiter.reserve(500) == .seconds(2))
        clock.advance(by: .seconds(1))
        #expect(limiter.reserve(0) == .milliseconds(1_500))
        clock.advance(by: .seconds(100))
        #expect(limiter.reserve(1_000) == .zero)
        #expect(limiter.reserve(1) == .seconds(1))
        #expect(limiter.reserve(-5) == .milliseconds(1_001))
    }

    @Test("lets a cancelled task go, and takes a rate of nothing for a slow one")
    func letsGo() async throws {
        let clock = ManualClock()
        let limiter = RateLimiter(bytesPerSecond: 0, clock: clock)
        #expect(limiter.bytesPerSecond == 1)
        try await limiter.take(10)
        let error = await withTaskGroup(of: (any Error)?.self) { group in
            group.addTask {
                do {
                    try await limiter.take(1)
                    return nil
                } catch {
                    return error
                }
            }
            await clock.waitForSleepers(1)
            group.cancelAll()
            return await group.next() ?? nil
        }
        #expect(error is CancellationError)
    }

    @Test("wakes its waiters when the time has come")
    func wakes() async throws {
        let clock = ManualClock()
        let limiter = RateLimiter(bytesPerSecond: 10, clock: clock)
        try await limiter.take(20)
        async let taken: Void = limiter.take(1)
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(2))
        try await taken
    }

    @Test("a resource with many readings gets as much as one with a single reading")
    func shares() {
        let clock = ManualClock()
        let limiter = RateLimiter(bytesPerSecond: 1_000, clock: clock)
        let shares = [RateShare(limiter), RateShare(limiter)]
        // Five readings of the first resource, one of the second; each wants a piece of 100 bytes again and again.
        var due = [Duration](repeating: .zero, count: 6)
        var isPaid = [Bool](repeating: false, count: 6)
        var taken = [0, 0]
        var now = Duration.zero
        while now < .seconds(100) {
            for reading in due.indices where due[reading] <= now {
                let resource = reading == 5 ? 1 : 0
                if isPaid[reading] { taken[resource] += 100 }
                switch shares[resource].reserve(100) {
                case .taken(let wait): (due[reading], isPaid[reading]) = (now + wait, true)
                case .later(let wait): (due[reading], isPaid[reading]) = (now + wait, false)
                }
            }
            clock.advance(by: .milliseconds(50))
            now += .milliseconds(50)
        }
        #expect(taken.reduce(0, +) > 95_000)
        #expect(abs(taken[0] - taken[1]) <= 1_000, "\(taken)")
    }
}
