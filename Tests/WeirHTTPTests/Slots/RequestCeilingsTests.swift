// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirHTTP

@Suite("The limit of requests a second for a host", .timeLimit(.minutes(1)))
struct RequestCeilingsTests {
    private let clock = ManualClock()

    private func ceilings(_ rates: [String: Int]) throws -> RequestCeilings {
        try #require(RequestCeilings(rates, clock: self.clock))
    }

    @Test(
        "the first request goes at once, others at intervals, and a pause saves up no requests"
    )
    func intervals() async throws {
        let ceilings = try self.ceilings(["a.test": 4])
        let held = Watched(0)
        let passed = Watched(0)
        try await ceilings.pass("a.test") { held.update { $0 += 1 } }
        await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<3 {
                group.addTask {
                    try await ceilings.pass("a.test") { held.update { $0 += 1 } }
                    passed.update { $0 += 1 }
                }
            }
            try? await held.wait { $0 == 3 }
            for count in 1...3 {
                await self.clock.waitForSleepers(1)
                #expect(passed.value == count - 1)
                self.clock.advance(by: .milliseconds(250))
                try? await passed.wait { $0 >= count }
            }
        }
        #expect(held.value == 3)
        self.clock.advance(by: .seconds(60))
        try await ceilings.pass("a.test") { held.update { $0 += 1 } }
        #expect(held.value == 3)
    }

    @Test("hosts below the name count for it, and other hosts have no limit")
    func names() async throws {
        let ceilings = try self.ceilings(["b.test": 1])
        try await ceilings.pass("x.b.test") {}
        try await ceilings.pass("notb.test") {}
        try await ceilings.pass("notb.test") {}
        let held = Watched(false)
        let task = Task { try await ceilings.pass("y.b.test") { held.update { $0 = true } } }
        try await held.wait { $0 }
        await self.clock.waitForSleepers(1)
        self.clock.advance(by: .seconds(1))
        try await task.value
        #expect(RequestCeilings([:], clock: self.clock) == nil)
    }

    @Test("a cancelled request takes no turn from the next ones")
    func cancelled() async throws {
        let ceilings = try self.ceilings(["a.test": 1])
        try await ceilings.pass("a.test") {}
        let task = Task { try await ceilings.pass("a.test") {} }
        await self.clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        self.clock.advance(by: .seconds(1))
        try await ceilings.pass("a.test") { Issue.record("it was held") }
    }

    @Test("one client's turns come in order, though one is cancelled")
    func order() async throws {
        let ceilings = try self.ceilings(["a.test": 1])
        let passed = Watched([Int]())
        let held = Watched(0)
        try await ceilings.pass("a.test") {}
        var tasks: [Task<Void, any Error>] = []
        for number in 0..<4 {
            tasks.append(
                Task {
                    try await ceilings.pass("a.test") { held.update { $0 += 1 } }
                    passed.update { $0.append(number) }
                }
            )
            try await held.wait { $0 == number + 1 }
        }
        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        for number in [0, 2, 3] {
            await self.clock.waitForSleepers(1)
            self.clock.advance(by: .seconds(1))
            try await tasks[number].value
        }
        #expect(passed.value == [0, 2, 3])
    }

    @Test(
        "turns alternate between clients: a single request is second, behind twenty of another client"
    )
    func clients() async throws {
        let ceilings = try self.ceilings(["a.test": 1])
        let passed = Watched([UInt64]())
        let held = Watched(0)
        try await ceilings.pass("a.test") {}
        let tasks = (0..<21 as Range<UInt64>).map { number in
            let client = ClientID(high: 1, low: number < 20 ? 1 : 2)
            let id = ConnectionRequestID(connection: number, request: 1)
            let request = ClientRequest(id, from: client)
            return Task {
                if number == 20 { try await held.wait { $0 == 20 } }
                try await ClientRequest.$current.withValue(request) {
                    try await ceilings.pass("a.test") { held.update { $0 += 1 } }
                    passed.update { $0.append(number) }
                }
            }
        }
        try await held.wait { $0 == 21 }
        for count in 1...21 {
            await self.clock.waitForSleepers(1)
            self.clock.advance(by: .seconds(1))
            try await passed.wait { $0.count == count }
        }
        for task in tasks { try await task.value }
        #expect(passed.value.firstIndex(of: 20) == 1, "\(passed.value)")
    }

    @Test(
        "an origin that waits too long for its turn reports that, and connecting has its own timeout"
    )
    func origin() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        let queued = QueuedTransport(
            transport,
            requestsPerSecond: ["media.test": 1],
            clock: self.clock
        )
        let log = EventLog()
        let origin = try makeOrigin(transport: queued, clock: self.clock, log: log)
        _ = try await origin.describe()
        async let second = origin.describe()
        try await log.lines.wait { $0.contains("requestHeld(host: \"media.test\")") }
        // The timer of the turn sleeps when the request is held, or soon after.
        try await self.clock.pass(.seconds(1))
        #expect(try await second.length == 10_000)
        #expect(transport.requests.count == 2)
    }
}
