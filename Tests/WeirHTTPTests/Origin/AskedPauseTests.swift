// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("A pause that an origin requests", .timeLimit(.minutes(1)))
struct AskedPauseTests {
    /// Options whose timeouts are too long to expire during a part of the pause.
    private static var options: HTTPOrigin.Options {
        var options = plainOptions
        options.timeouts.connect = .seconds(1_000)
        options.timeouts.firstByte = .seconds(1_000)
        options.timeouts.idle = .seconds(1_000)
        return options
    }

    @Test("is as long as requested, and reported at its start and every ten seconds")
    func isTold() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, index in
            index == 0 ? .answer(503, [("Retry-After", "30")]) : file.reply(to: request)
        }
        let (clock, log) = (ManualClock(), EventLog())
        let origin = try makeOrigin(
            transport: transport,
            options: Self.options,
            clock: clock,
            log: log
        )
        async let bytes = origin.read(.whole).collect()
        for (count, left) in [30, 20, 10].enumerated() {
            try await log.lines.wait { $0.count { $0.hasPrefix("waiting") } > count }
            let told = log.lines.value.last { $0.hasPrefix("waiting") }
            #expect(told?.contains("remaining: \(left).0 seconds") == true, "\(told ?? "nothing")")
            #expect(told?.contains("https://media.test/folder/song.mp3") == true)
            try await clock.pass(.seconds(10))
        }
        #expect(try await bytes == PatternBytes.bytes(in: 0..<10_000))
        #expect(log.lines.value.count { $0.hasPrefix("waiting") } == 3)
        #expect(transport.requests.count == 2)
    }

    @Test("is not repeated: after it, Weir gives up an origin that requests it again")
    func isNotMultiplied() async throws {
        let transport = ScriptedTransport(.answer(503, [("Retry-After", "30")]))
        let clock = ManualClock()
        let origin = try makeOrigin(transport: transport, options: Self.options, clock: clock)
        async let failure = sourceError { _ = try await origin.read(.whole) }
        try await clock.pass([.seconds(10), .seconds(10), .seconds(10)])
        let error = await failure
        #expect(error?.code == .throttled && error?.status == 503)
        #expect(error?.message.contains("30 seconds") == true)
        #expect(transport.requests.count == 2)
    }

    @Test("ends at once when the reader is cancelled")
    func isLeft() async throws {
        let transport = ScriptedTransport(.answer(503, [("Retry-After", "30")]))
        let (clock, log) = (ManualClock(), EventLog())
        let origin = try makeOrigin(
            transport: transport,
            options: Self.options,
            clock: clock,
            log: log
        )
        let reader = Task { try await origin.read(.whole) }
        try await log.lines.wait { $0.contains { $0.hasPrefix("waiting") } }
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        #expect(transport.requests.count == 1)
    }
}
