// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirSource

@Suite("A rate limiter", .timeLimit(.minutes(1)))
struct RateLimiterTests {
    private let clock = ManualClock()

    private func request(_ connection: UInt64, from client: UInt64) -> ClientRequest {
        let id = ConnectionRequestID(connection: connection, request: 1)
        return ClientRequest(id, from: ClientID(high: 1, low: client))
    }

    @Test("makes each task wait for the units of earlier tasks, and saves up no units")
    func makesWait() async throws {
        let limiter = RateLimiter(unitsPerSecond: 1_000, clock: self.clock)
        try await limiter.take(2_000)
        let wait = try #require(limiter.ask(for: 500, line: 0))
        async let taken: Void = limiter.wait(for: wait)
        await self.clock.waitForSleepers(1)
        self.clock.advance(by: .seconds(2))
        try await taken
        #expect(limiter.ask(for: 1, line: 0) != nil)
        self.clock.advance(by: .seconds(100))
        try await limiter.take(-5)
        try await limiter.take(1_000)
        #expect(limiter.ask(for: 1, line: 0) != nil)
    }

    @Test("releases a cancelled task, which takes no unit, and treats a rate of zero as a slow one")
    func letsGo() async throws {
        let limiter = RateLimiter(unitsPerSecond: 0, clock: self.clock)
        #expect(limiter.unitsPerSecond == 1)
        try await limiter.take(1)
        let task = Task { try await limiter.take(1_000) }
        await self.clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        self.clock.advance(by: .seconds(1))
        #expect(limiter.ask(for: 1, line: 0) == nil)
        // A task that was cancelled before its wait uses up no turn either.
        let wait = try #require(limiter.ask(for: 1_000, line: 0))
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            try await limiter.wait(for: wait)
        }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
        self.clock.advance(by: .seconds(1))
        #expect(limiter.ask(for: 1, line: 0) == nil)
    }

    @Test(
        "keeps a turn that came before its task waits, and takes it back if the task is cancelled"
    )
    func early() async throws {
        let limiter = RateLimiter(unitsPerSecond: 1, clock: self.clock)
        for isCancelled in [false, true] {
            #expect(limiter.ask(for: 1, line: 0) == nil)
            let wait = try #require(limiter.ask(for: 1_000, line: 0))
            await self.clock.waitForSleepers(1)
            self.clock.advance(by: .seconds(1))
            while self.clock.sleeperCount > 0 { await Task.yield() }
            // This request grants the other turn, if the timer has not granted it yet.
            let next = try #require(limiter.ask(for: 0, line: 0))
            let task = Task {
                if isCancelled { while !Task.isCancelled { await Task.yield() } }
                try await limiter.wait(for: wait)
            }
            if isCancelled {
                task.cancel()
                await #expect(throws: CancellationError.self) { try await task.value }
            } else {
                try await task.value
                self.clock.advance(by: .seconds(1_000))
            }
            try await limiter.wait(for: next)
        }
    }

    @Test("gives a resource with many readings as much as one with a single reading")
    func shares() async throws {
        let limiter = RateLimiter(unitsPerSecond: 1_000, clock: self.clock)
        #expect(limiter.ask(for: 100, line: 9) == nil)
        // Five readings of the first resource, one of the second; each takes pieces of 100 bytes in
        // a loop.
        let taken = Watched([0, 0])
        try await self.crowd(
            (0..<6).map { $0 == 5 ? 1 : 0 },
            on: limiter,
            taken: taken
        ) { _ in nil }
        #expect(abs(taken.value[0] - taken.value[1]) <= 1, "\(taken.value)")
    }

    @Test("gives a client with many resources as much as one with a single resource")
    func clients() async throws {
        let limiter = RateLimiter(unitsPerSecond: 1_000, clock: self.clock)
        #expect(limiter.ask(for: 100, line: 9) == nil)
        let taken = Watched([0, 0])
        try await self.crowd(
            (0..<21).map { $0 == 20 ? 1 : 0 },
            on: limiter,
            taken: taken
        ) { self.request(UInt64($0), from: $0 == 20 ? 1 : 0) }
        #expect(abs(taken.value[0] - taken.value[1]) <= 1, "\(taken.value)")
    }

    /// Lets tasks take a hundred turns together, and counts the turns by kind.
    ///
    /// Each task takes turns in a loop. A task's line is its kind if it works for no client;
    /// otherwise it is its number.
    private func crowd(
        _ kinds: [Int],
        on limiter: RateLimiter,
        taken: Watched<[Int]>,
        for request: (Int) -> ClientRequest?
    ) async throws {
        let waiting = Watched(0)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, kind) in kinds.enumerated() {
                let request = request(number)
                group.addTask {
                    try await ClientRequest.$current.withValue(request) {
                        let line = UInt64(request == nil ? kind : number)
                        while true {
                            let wait = try #require(limiter.ask(for: 100, line: line))
                            waiting.update { $0 += 1 }
                            try await limiter.wait(for: wait)
                            waiting.update { $0 -= 1 }
                            taken.update { $0[kind] += 1 }
                        }
                    }
                }
            }
            for turn in 1...100 {
                try await waiting.wait { $0 == kinds.count }
                await self.clock.waitForSleepers(1)
                self.clock.advance(by: .milliseconds(100))
                try await taken.wait { $0.reduce(0, +) == turn }
            }
            group.cancelAll()
            while await group.nextResult() != nil {}
        }
    }
}
