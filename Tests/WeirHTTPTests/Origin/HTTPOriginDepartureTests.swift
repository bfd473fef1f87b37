// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("A reader that leaves an origin", .timeLimit(.minutes(1)))
struct HTTPOriginDepartureTests {
    /// Runs an operation, cancels it after `moment`, and returns the operation's error.
    private func cancelled(
        _ operation: @escaping @Sendable () async throws -> Void,
        when moment: () async throws -> Void
    ) async throws -> (any Error)? {
        try await withThrowingTaskGroup(of: (any Error)?.self) { group in
            group.addTask {
                do {
                    try await operation()
                    return nil
                } catch {
                    return error
                }
            }
            try await moment()
            group.cancelAll()
            return try await group.next() ?? nil
        }
    }

    @Test("before the response ends the request at once")
    func leavesBeforeAnswer() async throws {
        for reply in [ScriptedTransport.Reply.noConnection, .noAnswer] {
            let transport = ScriptedTransport(reply)
            let origin = try makeOrigin(transport: transport)
            let error = try await self.cancelled {
                _ = try await origin.read(.whole)
            } when: {
                try await transport.state.wait { !$0.requests.isEmpty }
            }
            #expect(error is CancellationError)
            #expect(transport.state.value.cancelledSends == 1)
        }
    }

    @Test("in the middle of the body ends it at once")
    func leavesMidway() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, _ in
            file.reply(to: request, limit: 2_000, after: [.stall])
        }
        let origin = try makeOrigin(transport: transport)
        let reading = try await origin.read(.whole)
        let error = try await self.cancelled {
            _ = try await reading.collect()
        } when: {
            try await transport.bodies[0].state.wait { $0.isStalling }
        }
        #expect(error is CancellationError)
        #expect(transport.bodies[0].state.value.isCancelled)
    }

    @Test("during a pause before the next try ends the pause at once")
    func leavesInPause() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, _ in file.reply(to: request, limit: 2_000) }
        let clock = ManualClock()
        let log = EventLog()
        let reading = try await makeOrigin(transport: transport, clock: clock, log: log).read(
            .whole
        )
        let error = try await self.cancelled {
            _ = try await reading.collect()
        } when: {
            try await log.lines.wait { $0.contains { $0.hasPrefix("retrying") } }
        }
        #expect(error is CancellationError)
        #expect(transport.requests.count == 1)
    }

    @Test("during the request for the rest ends the request at once")
    func leavesInContinuation() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, index in
            index == 0 ? file.reply(to: request, limit: 2_000) : .noAnswer
        }
        let clock = ManualClock()
        let reading = try await makeOrigin(transport: transport, clock: clock).read(.whole)
        let error = try await self.cancelled {
            _ = try await reading.collect()
        } when: {
            try await clock.pass(.milliseconds(250))
            try await transport.state.wait { $0.requests.count == 2 }
        }
        #expect(error is CancellationError)
        #expect(transport.state.value.cancelledSends == 1)
    }

    @Test("by dropping the reading ends the body")
    func leavesByDropping() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        do {
            let reading = try await makeOrigin(transport: transport).read(.whole)
            #expect(try await reading.makeAsyncIterator().next()?.count == 1_000)
            #expect(!transport.bodies[0].state.value.isCancelled)
        }
        try await transport.bodies[0].state.wait { $0.isCancelled }
        #expect(transport.bodies[0].state.value.handedOut == 1_000)
    }

    @Test("harms no other reader of the same origin")
    func harmsNoOther() async throws {
        let file = ScriptedFile()
        let gate = Gate()
        let transport = ScriptedTransport { request, _ in
            file.reply(
                to: request,
                limit: 2_000,
                after: [.hold(gate)] + file.steps(2_000..<10_000)
            )
        }
        let origin = try makeOrigin(transport: transport)
        let staying = try await origin.read(.whole)
        let leaving = try await origin.read(.whole)
        async let bytes = staying.collect()
        let error = try await self.cancelled {
            _ = try await leaving.collect()
        } when: {
            try await gate.waitForWaiters(2)
        }
        #expect(error is CancellationError)
        gate.open()
        #expect(try await bytes == PatternBytes.bytes(in: 0..<10_000))
    }

    @Test("a slow consumer gets bytes slowly, and none are read ahead")
    func pullsNothingAhead() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        let reading = try await makeOrigin(transport: transport).read(.whole)
        let body = transport.bodies[0]
        #expect(body.state.value.pullCount == 0)
        let iterator = reading.makeAsyncIterator()
        for index in 1...9 {
            _ = try await iterator.next()
            #expect(body.state.value.pullCount == index)
            #expect(body.state.value.handedOut == index * 1_000)
        }
    }
}
