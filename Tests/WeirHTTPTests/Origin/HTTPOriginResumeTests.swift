// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("A reading that breaks off", .timeLimit(.minutes(1)))
struct HTTPOriginResumeTests {
    private static let quarter = Duration.milliseconds(250)

    @Test("is resumed at the next byte, with the condition, after a pause")
    func isResumed() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, index in
            file.reply(to: request, limit: index == 0 ? 3_500 : .max)
        }
        let clock = ManualClock()
        let log = EventLog()
        let origin = try makeOrigin(transport: transport, clock: clock, log: log)
        let reading = try await origin.read(.span(100..<9_000))
        async let bytes = reading.collect()
        try await clock.pass(Self.quarter)
        #expect(try await bytes == PatternBytes.bytes(in: 100..<9_000))
        #expect(transport.ranges == ["bytes=100-8999", "bytes=3600-8999"])
        #expect(transport.requests[1].headers["If-Range"] == "\"v1\"")
        #expect(log.lines.value.contains("retrying 3600 (2 of 6) after 0.25 seconds: reset"))
    }

    @Test("is resumed as often as necessary, while each try brings new bytes")
    func isResumedOften() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, _ in file.reply(to: request, limit: 1_000) }
        let clock = ManualClock()
        let reading = try await makeOrigin(transport: transport, clock: clock).read(.whole)
        async let bytes = reading.collect()
        try await clock.pass(Array(repeating: Self.quarter, count: 9))
        #expect(try await bytes == PatternBytes.bytes(in: 0..<10_000))
        #expect(transport.requests.count == 10)
    }

    @Test("is given up after five tries without a byte, and the error has the offset")
    func isGivenUp() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, index in
            file.reply(to: request, limit: index == 0 ? 2_000 : 0)
        }
        let clock = ManualClock()
        let reading = try await makeOrigin(transport: transport, clock: clock).read(.whole)
        async let failure = sourceError { _ = try await reading.collect() }
        try await clock.pass([
            Self.quarter, .milliseconds(500), .seconds(1), .seconds(2), .seconds(4),
        ])
        let error = try #require(await failure)
        #expect(error.code == .truncated)
        #expect(error.length == 10_000 && error.host == "media.test")
        #expect(
            error.message
                == "https://media.test/folder/song.mp3 breaks off again and again at byte 2000 of 10000;"
                + " try again later, or ask the operator of media.test."
        )
        #expect(transport.requests.count == 6)
    }

    @Test("by a body that ends too early is resumed, too")
    func isResumedAfterShortBody() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, index in
            file.reply(to: request, limit: index == 0 ? 2_000 : .max, after: [])
        }
        let clock = ManualClock()
        let reading = try await makeOrigin(transport: transport, clock: clock).read(.whole)
        async let bytes = reading.collect()
        try await clock.pass(Self.quarter)
        #expect(try await bytes == PatternBytes.bytes(in: 0..<10_000))
        #expect(transport.ranges == ["bytes=0-", "bytes=2000-9999"])
    }

    @Test("with one byte in each response is given up, and not requested 100,000 times")
    func isNotAskedForBytes() async throws {
        let length: Int64 = 100_000
        let transport = ScriptedTransport { request, _ in
            let field = request.headers["Range"] ?? ""
            let start = Int64(field.dropFirst(6).prefix { $0 != "-" }) ?? 0
            return .answer(
                206,
                [("ETag", "\"v1\""), ("Content-Range", "bytes \(start)-\(start)/\(length)")],
                PatternBytes.bytes(in: start..<start + 1)
            )
        }
        let clock = ManualClock()
        let reading = try await makeOrigin(transport: transport, clock: clock).read(.whole)
        async let failure = sourceError { _ = try await reading.collect() }
        try await clock.pass([
            Self.quarter, .milliseconds(500), .seconds(1), .seconds(2), .seconds(4),
        ])
        #expect(await failure?.code == .truncated)
        // The short first response causes a second request; five retries follow.
        #expect(transport.requests.count == 7)
    }

    @Test("in parts of 16 KiB is read without a pause, part after part")
    func isReadInParts() async throws {
        let file = ScriptedFile(length: 1 << 20, piece: 16 << 10)
        let transport = ScriptedTransport { request, _ in
            let field = request.headers["Range"] ?? ""
            let start = Int64(field.dropFirst(6).prefix { $0 != "-" }) ?? 0
            let end = min(file.length, start + 16 << 10)
            return .answer(
                206,
                file.headers + [("Content-Range", "bytes \(start)-\(end - 1)/\(file.length)")],
                PatternBytes.bytes(in: start..<end)
            )
        }
        let bytes = try await makeOrigin(transport: transport).read(.whole).collect()
        #expect(bytes == PatternBytes.bytes(in: 0..<(1 << 20)))
        #expect(transport.requests.count == 64)
    }

    @Test("waits as a busy origin requests, and goes on")
    func obeysRetryAfter() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, index in
            switch index {
            case 0: file.reply(to: request, limit: 2_000)
            case 1: .answer(503, [("Retry-After", "7")])
            default: file.reply(to: request)
            }
        }
        let clock = ManualClock()
        let reading = try await makeOrigin(transport: transport, clock: clock).read(.whole)
        async let bytes = reading.collect()
        try await clock.pass([Self.quarter, .seconds(7)])
        #expect(try await bytes == PatternBytes.bytes(in: 0..<10_000))
    }

    @Test(
        "while the resource changes is an error, and gives no byte of the new version",
        arguments: [true, false]
    )
    func seesChange(_ knowsConditions: Bool) async throws {
        let old = ScriptedFile()
        let new = ScriptedFile(
            seed: 2,
            headers: knowsConditions ? [("ETag", "\"v2\"")] : [("ETag", "\"v2\""), ("X", "y")]
        )
        let transport = ScriptedTransport { request, index in
            guard index > 0 else { return old.reply(to: request, limit: 2_000) }
            guard !knowsConditions else { return new.reply(to: request) }
            var blind = request
            blind.headers.remove("If-Range")
            return new.reply(to: blind)
        }
        let clock = ManualClock()
        let reading = try await makeOrigin(transport: transport, clock: clock).read(.whole)
        var taken: [UInt8] = []
        let iterator = reading.makeAsyncIterator()
        for _ in 0..<2 { taken += try await iterator.next()?.bytes() ?? [] }
        #expect(taken == PatternBytes.bytes(in: 0..<2_000))
        async let failure = sourceError { _ = try await iterator.next() }
        try await clock.pass(Self.quarter)
        let error = await failure
        #expect(error?.code == .changed)
        let again = await sourceError { _ = try await iterator.next() }
        #expect(again?.code == .changed)
    }

    @Test("without a validator re-reads 4 KiB, joins them if they are equal, else is an error")
    func comparesOverlap() async throws {
        for seed in [UInt64(1), 2] {
            let transport = ScriptedTransport { request, index in
                let file = ScriptedFile(seed: index == 0 ? 1 : seed, headers: [])
                return file.reply(to: request, limit: index == 0 ? 6_000 : .max)
            }
            let clock = ManualClock()
            let reading = try await makeOrigin(transport: transport, clock: clock).read(.whole)
            async let outcome = Result { try await reading.collect() }
            try await clock.pass(Self.quarter)
            #expect(transport.ranges.last == "bytes=1904-9999" || transport.ranges.count == 1)
            switch await outcome {
            case .success(let bytes):
                #expect(seed == 1 && bytes == PatternBytes.bytes(in: 0..<10_000))
            case .failure(let error):
                #expect(seed == 2 && (error as? SourceError)?.code == .changed)
            }
            #expect(transport.ranges == ["bytes=0-", "bytes=1904-9999"])
        }
    }

    @Test("and cannot be joined, without length, validator and ranges, is an error")
    func refusesUnjoinable() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport(
            .answer(
                200,
                [],
                file.steps(0..<6_000) + [.fail(HTTPTransportError(.connectionLost, "reset"))],
                isEndProven: true
            )
        )
        let clock = ManualClock()
        let reading = try await makeOrigin(transport: transport, clock: clock).read(.whole)
        async let failure = sourceError { _ = try await reading.collect() }
        try await clock.pass(Self.quarter)
        // The second response starts from 0, and does not prove that it is the same resource.
        let error = await failure
        #expect(error?.code == .changed)
    }

    @Test("does not take a closed connection as the end, if the first response promised a proof")
    func provesEnd() async throws {
        let file = ScriptedFile(length: 4_000, headers: [("ETag", "\"v1\"")])
        let lost = ScriptedBody.Step.fail(HTTPTransportError(.connectionLost, "reset"))
        let transport = ScriptedTransport { _, index in
            switch index {
            case 0: .answer(200, file.headers, file.steps(0..<1_000) + [lost], isEndProven: true)
            case 1: .answer(200, file.headers, file.steps(0..<2_000), isEndProven: false)
            default: .answer(200, file.headers, file.steps(0..<4_000), isEndProven: true)
            }
        }
        let clock = ManualClock()
        let reading = try await makeOrigin(transport: transport, clock: clock).read(.whole)
        #expect(reading.provesEnd && reading.resource.length == nil)
        async let bytes = reading.collect()
        try await clock.pass([Self.quarter, Self.quarter])
        #expect(try await bytes == PatternBytes.bytes(in: 0..<4_000))
    }

    @Test("ends at once when access is refused", arguments: [401, 403, 404, 410])
    func endsAtOnce(_ status: Int) async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, index in
            index == 0 ? file.reply(to: request, limit: 2_000) : .answer(status)
        }
        let clock = ManualClock()
        let reading = try await makeOrigin(transport: transport, clock: clock).read(.whole)
        async let failure = sourceError { _ = try await reading.collect() }
        try await clock.pass(Self.quarter)
        #expect(await failure?.status == status)
        #expect(transport.requests.count == 2)
    }

    @Test("continues with an unquoted tag without a condition, and compares the tag")
    func goesOnFromBareTag() async throws {
        let file = ScriptedFile(headers: [("ETag", "2bf4a775")])
        let transport = ScriptedTransport { request, index in
            file.reply(to: request, limit: index == 0 ? 2_000 : .max)
        }
        let clock = ManualClock()
        let reading = try await makeOrigin(transport: transport, clock: clock).read(.whole)
        #expect(reading.resource.validator == .entityTag("\"2bf4a775\""))
        async let bytes = reading.collect()
        try await clock.pass(Self.quarter)
        #expect(try await bytes == PatternBytes.bytes(in: 0..<10_000))
        #expect(transport.requests.map { $0.headers["If-Range"] } == [nil, nil])
    }

    @Test("that cannot be started is an error within a second: three tries")
    func saysUnreachable() async throws {
        let transport = ScriptedTransport(
            .fail(HTTPTransportError(.unreachable, "connection refused"))
        )
        let clock = ManualClock()
        let origin = try makeOrigin("http://media.test:81/a", transport: transport, clock: clock)
        async let failure = sourceError { _ = try await origin.read(.whole) }
        try await clock.pass([Self.quarter, .milliseconds(500)])
        let error = await failure
        #expect(error?.code == .unreachable && error?.host == "media.test:81")
        #expect(
            error?.message
                == "media.test:81 cannot be reached (connection refused); check the address, the network"
                + " and the proxy settings."
        )
        #expect(transport.requests.count == 3)
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ operation: () async throws -> Success) async {
        do { self = .success(try await operation()) } catch { self = .failure(error) }
    }
}
