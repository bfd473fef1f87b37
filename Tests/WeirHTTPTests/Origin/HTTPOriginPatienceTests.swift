// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("The timeouts of an origin", .timeLimit(.minutes(1)))
struct HTTPOriginPatienceTests {
    private static let impatient = HTTPOrigin.Options(
        retry: RetryPolicy(maximumRetries: 5, maximumFirstRetries: 0, jitter: { 0.5 })
    )

    @Test("apply after 10 seconds without a connection")
    func limitsConnection() async throws {
        let transport = ScriptedTransport(.noConnection)
        let clock = ManualClock()
        let origin = try makeOrigin(transport: transport, options: Self.impatient, clock: clock)
        async let failure = sourceError { _ = try await origin.read(.whole) }
        try await clock.pass(.seconds(10))
        let error = await failure
        #expect(error?.code == .timedOut)
        #expect(
            error?.message
                == "media.test did not accept a connection in time (no connection for 10 s); check the"
                + " address, the network and the proxy settings."
        )
        #expect(transport.state.value.cancelledSends == 1)
    }

    @Test("apply 30 seconds after a request without a response")
    func limitsFirstByte() async throws {
        let transport = ScriptedTransport(.noAnswer)
        let clock = ManualClock()
        let origin = try makeOrigin(transport: transport, options: Self.impatient, clock: clock)
        async let failure = sourceError { _ = try await origin.read(.whole) }
        try await transport.state.wait { $0.sentCount == 1 }
        while clock.remainingSleeps.isEmpty { await Task.yield() }
        clock.advance(by: .seconds(29))
        #expect(transport.requests.count == 1)
        // One second is left, whether the timer first slept for the connection or for the response.
        try await clock.pass(.seconds(1))
        let error = await failure
        #expect(error?.code == .timedOut)
        #expect(error?.message.contains("no answer for 30 s") == true)
        #expect(transport.state.value.cancelledSends == 1)
    }

    @Test("end a silent body after 30 seconds, and the reading is resumed")
    func limitsSilence() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, index in
            file.reply(to: request, limit: index == 0 ? 2_000 : .max, after: [.stall])
        }
        let clock = ManualClock()
        let log = EventLog()
        let reading = try await makeOrigin(transport: transport, clock: clock, log: log).read(
            .whole
        )
        async let bytes = reading.collect()
        try await transport.bodies[0].state.wait { $0.isStalling }
        // The observer learns of the silence after 3 s, after 10 s, and then every ten seconds.
        for pause in [3, 7, 10, 10] { try await clock.pass(.seconds(pause)) }
        try await clock.pass(.milliseconds(250))
        #expect(try await bytes == PatternBytes.bytes(in: 0..<10_000))
        #expect(
            log.lines.value.contains("retrying 2000 (2 of 6) after 0.25 seconds: no byte for 30 s")
        )
        for time in [3, 10, 20] {
            #expect(log.lines.value.contains("media.test has sent nothing for \(time) s of 30 s"))
        }
        #expect(!log.lines.value.contains("media.test has sent nothing for 30 s of 30 s"))
        #expect(transport.bodies[0].state.value.isCancelled)
    }

    @Test("are reported while no response comes: after 3 s, after 10, and every ten")
    func tellsSilence() async throws {
        let transport = ScriptedTransport(.noAnswer)
        let clock = ManualClock()
        let log = EventLog()
        let origin = try makeOrigin(
            transport: transport,
            options: Self.impatient,
            clock: clock,
            log: log
        )
        async let failure = sourceError { _ = try await origin.read(.whole) }
        // The timeout for the response starts when the request is sent.
        try await transport.state.wait { $0.sentCount == 1 }
        for pause in [3, 7, 10, 10] { try await clock.pass(.seconds(pause)) }
        #expect(await failure?.code == .timedOut)
        #expect(
            log.lines.value.filter { $0.contains("has not answered") }
                == [3, 10, 20].map { "media.test has not answered for \($0) s of 30 s" }
        )
    }

    @Test("do not run during a pause of the consumer")
    func sparesPauses() async throws {
        let file = ScriptedFile(length: 3_000)
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        let clock = ManualClock()
        let reading = try await makeOrigin(transport: transport, clock: clock).read(.whole)
        let iterator = reading.makeAsyncIterator()
        #expect(try await iterator.next()?.range == 0..<1_000)
        for _ in 0..<5 { try await clock.pass(.seconds(30)) }
        await clock.waitForSleepers(1)
        #expect(try await iterator.next()?.range == 1_000..<2_000)
        #expect(!transport.bodies[0].state.value.isCancelled)
        #expect(transport.requests.count == 1)
    }

    @Test("leave no watchdog behind")
    func leavesNoWatchdog() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        let clock = ManualClock()
        let origin = try makeOrigin(transport: transport, clock: clock)
        for _ in 0..<5 {
            _ = try await origin.read(.whole).collect()
            _ = try await origin.read(.from(9_000))
            _ = try await origin.describe()
        }
        while clock.sleeperCount > 0 { await Task.yield() }
        #expect(
            transport.bodies.allSatisfy { $0.state.value.hasEnded || $0.state.value.isCancelled }
        )
    }
}
