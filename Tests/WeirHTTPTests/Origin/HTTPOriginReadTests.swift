// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("Reading an origin", .timeLimit(.minutes(1)))
struct HTTPOriginReadTests {
    @Test("for the first time costs one request, which brings the description")
    func costsOneRequest() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        let origin = try makeOrigin(transport: transport)
        let reading = try await origin.read(.whole)
        #expect(reading.resource.length == 10_000)
        #expect(reading.resource.mediaType?.essence == "audio/mpeg")
        #expect(reading.resource.validator == .entityTag("\"v1\""))
        #expect(reading.resource.name == "song.mp3")
        #expect(reading.resource.acceptsRanges == true)
        #expect(reading.range == 0..<10_000)
        #expect(try await reading.collect() == PatternBytes.bytes(in: 0..<10_000))
        #expect(transport.ranges == ["bytes=0-"])
        #expect(transport.requests[0].headers["Accept-Encoding"] == "identity")
        #expect(transport.bodies[0].state.value.hasEnded)
        #expect(origin.availability.length == 10_000)
    }

    @Test(
        "gives the requested range, whether the origin supports ranges or not",
        arguments: [
            (.span(10..<20), 10..<20), (.from(9_990), 9_990..<10_000), (.suffix(5), 9_995..<10_000),
            (.suffix(20_000), 0..<10_000), (.span(9_000..<90_000), 9_000..<10_000),
            (.from(10_000), 10_000..<10_000), (.span(10_000..<10_001), 10_000..<10_000),
        ] as [(RequestedRange, Range<Int64>)],
        [true, false]
    )
    func yieldsRange(_ asked: (RequestedRange, Range<Int64>), _ answersRanges: Bool) async throws {
        var file = ScriptedFile()
        file.answersRanges = answersRanges
        let transport = ScriptedTransport { [file] request, _ in file.reply(to: request) }
        let reading = try await makeOrigin(transport: transport).read(asked.0)
        #expect(reading.range == asked.1)
        #expect(try await reading.collect() == PatternBytes.bytes(in: asked.1))
        #expect(transport.requests.count == 1)
        #expect(
            transport.bodies.allSatisfy { $0.state.value.isCancelled || $0.state.value.hasEnded }
        )
    }

    @Test("gives nothing for an empty range, after a check of the end")
    func yieldsNothing() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        let origin = try makeOrigin(transport: transport)
        let reading = try await origin.read(.span(5..<5))
        #expect(reading.range == 5..<5)
        #expect(try await reading.collect().isEmpty)
        #expect(transport.ranges == ["bytes=0-511"])
        let error = await sourceError { _ = try await origin.read(.span(10_001..<10_001)) }
        #expect(error?.code == .rangeNotSatisfiable && error?.length == 10_000)
        #expect(try await origin.read(.suffix(0)).range == 10_000..<10_000)
    }

    @Test("refuses a start past the end, and one before the start", arguments: [true, false])
    func refusesPastTheEnd(_ answersRanges: Bool) async throws {
        var file = ScriptedFile()
        file.answersRanges = answersRanges
        let transport = ScriptedTransport { [file] request, _ in file.reply(to: request) }
        let origin = try makeOrigin(transport: transport)
        for range in [RequestedRange.from(10_001), .from(.max), .span(20_000..<20_001)] {
            let error = await sourceError { _ = try await origin.read(range) }
            #expect(error?.code == .rangeNotSatisfiable)
            #expect(error?.length == 10_000)
        }
        let negative = await sourceError { _ = try await origin.read(.from(-1)) }
        #expect(negative?.code == .invalidRequest)
    }

    @Test("reads an empty file, in every form of an origin's response")
    func readsEmptyFile() async throws {
        let replies: [ScriptedTransport.Reply] = [
            .answer(200, [("Content-Length", "0")]), .answer(416, [("Content-Range", "bytes */0")]),
        ]
        for reply in replies {
            let reading = try await makeOrigin(transport: ScriptedTransport(reply)).read(.whole)
            #expect(reading.range == 0..<0)
            #expect(try await reading.collect().isEmpty)
        }
        let silent = ScriptedTransport(
            .answer(416),
            .answer(200, [("Transfer-Encoding", "chunked")])
        )
        let reading = try await makeOrigin(transport: silent).read(.whole)
        #expect(try await reading.collect().isEmpty)
        #expect(silent.ranges == ["bytes=0-", nil])
    }

    @Test("goes on if the origin sends less than requested")
    func goesOnAfterShortPart() async throws {
        let file = ScriptedFile(length: 5_000)
        let transport = ScriptedTransport { request, index in
            // The server never sends more than 2000 bytes, like some content networks.
            let start = Int64(index) * 2_000
            let end = min(start + 2_000, 5_000)
            let headers = [
                ("Content-Range", "bytes \(start)-\(end - 1)/5000"), ("ETag", "\"v1\""),
                ("Content-Length", "\(end - start)"),
            ]
            return .answer(206, headers, file.steps(start..<end), isEndProven: true)
        }
        let reading = try await makeOrigin(transport: transport).read(.span(0..<4_500))
        #expect(reading.range == 0..<4_500)
        #expect(try await reading.collect() == PatternBytes.bytes(in: 0..<4_500))
        #expect(transport.ranges == ["bytes=0-4499", "bytes=2000-4499", "bytes=4000-4499"])
        #expect(transport.requests.map { $0.headers["If-Range"] } == [nil, "\"v1\"", "\"v1\""])
    }

    @Test("of a file of unknown length ends with the body, which may prove the length")
    func readsUnknownLength() async throws {
        let file = ScriptedFile(length: 3_000)
        for isProven in [true, false] {
            let transport = ScriptedTransport(
                .answer(200, [], file.steps(0..<3_000), isEndProven: isProven)
            )
            let origin = try makeOrigin(transport: transport)
            let reading = try await origin.read(.from(500))
            #expect(reading.resource.length == nil && reading.upperBound == nil)
            #expect(reading.provesEnd == isProven)
            #expect(try await reading.collect() == PatternBytes.bytes(in: 500..<3_000))
            #expect(origin.availability.length == (isProven ? 3_000 : nil))
        }
        let transport = ScriptedTransport(
            .answer(200, [], file.steps(0..<3_000), isEndProven: true)
        )
        let origin = try makeOrigin(transport: transport)
        let beyond = try await origin.read(.from(3_001))
        let error = await sourceError { _ = try await beyond.collect() }
        #expect(error?.code == .rangeNotSatisfiable && error?.length == 3_000)
    }

    @Test("of a file whose total stays unknown goes on until the origin reports the end")
    func readsUnknownTotal() async throws {
        var file = ScriptedFile(length: 3_000)
        file.tellsLength = false
        let transport = ScriptedTransport { [file] request, index in
            guard index < 2 else { return .answer(416, [("Content-Range", "bytes */3000")]) }
            let start = Int64(index) * 1_500
            let headers = [
                ("Content-Range", "bytes \(start)-\(start + 1_499)/*"), ("ETag", "\"v1\""),
            ]
            return .answer(206, headers, file.steps(start..<(start + 1_500)), isEndProven: true)
        }
        let origin = try makeOrigin(transport: transport)
        let reading = try await origin.read(.whole)
        #expect(try await reading.collect() == PatternBytes.bytes(in: 0..<3_000))
        #expect(transport.ranges == ["bytes=0-", "bytes=1500-", "bytes=3000-"])
        #expect(origin.availability.length == 3_000)
    }

    @Test("accepts a multipart response of one part, and refuses one of several")
    func takesMultipart() async throws {
        let head = "--B\r\nContent-Type: audio/mpeg\r\nContent-Range: bytes 10-29/100\r\n\r\n"
        for (end, isFine) in [("\r\n--B--\r\n", true), ("\r\n--B\r\nContent-Type: x/y\r\n", false)]
        {
            let body = Array(head.utf8) + PatternBytes.bytes(in: 10..<30) + Array(end.utf8)
            let steps = body.map { ScriptedBody.Step.bytes([$0]) }
            let transport = ScriptedTransport(
                .answer(
                    206,
                    [("Content-Type", "multipart/byteranges; boundary=B"), ("ETag", "\"v1\"")],
                    steps,
                    isEndProven: true
                )
            )
            let reading = try await makeOrigin(transport: transport).read(.span(10..<30))
            #expect(reading.resource.length == 100)
            #expect(reading.resource.mediaType?.essence == "audio/mpeg")
            if isFine {
                #expect(try await reading.collect() == PatternBytes.bytes(in: 10..<30))
            } else {
                let error = await sourceError { _ = try await reading.collect() }
                #expect(error?.code == .badAnswer)
                #expect(error?.message.contains("several parts") == true)
            }
        }
    }

    @Test("finds an unannounced page before it gives a byte of it")
    func findsPage() async throws {
        let page = Array("<!DOCTYPE html>\n<html><body>Sign in</body></html>".utf8)
        let steps = page.map { ScriptedBody.Step.bytes([$0]) }
        let transport = ScriptedTransport(
            .answer(200, [("Content-Type", "audio/mpeg")], steps, isEndProven: true)
        )
        let reading = try await makeOrigin(transport: transport).read(.whole)
        let error = await sourceError {
            for try await chunk in reading { Issue.record("yielded \(chunk.range)") }
        }
        #expect(error?.code == .notMedia)
        let wanted = try await makeOrigin("https://h/page.html", transport: transport).read(.whole)
        #expect(try await wanted.collect() == page)
    }

    @Test("refuses a body in an unsupported coding")
    func refusesCoding() async throws {
        let transport = ScriptedTransport(
            .answer(200, [("Content-Encoding", "br"), ("Content-Length", "5")], [1, 2, 3, 4, 5])
        )
        let origin = try makeOrigin(transport: transport)
        let error = await sourceError { _ = try await origin.read(.whole) }
        #expect(error?.code == .badAnswer)
        #expect(error?.message.contains("Content-Encoding: br") == true)
        #expect(transport.bodies[0].state.value.isCancelled)
    }

    @Test("refuses a body that is longer than announced")
    func refusesExcess() async throws {
        let transport = ScriptedTransport(
            .answer(206, [("Content-Range", "bytes 0-4/5")], [1, 2, 3, 4, 5, 6])
        )
        let reading = try await makeOrigin(transport: transport).read(.whole)
        let error = await sourceError { _ = try await reading.collect() }
        #expect(error?.code == .badAnswer)
    }

    @Test("ignores the user's values for headers that Weir sets itself")
    func ownsItsHeaders() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        var options = plainOptions
        for line in [
            "Range: bytes=7-8", "If-Range: x", "accept-encoding: gzip", "If-None-Match: *", "X: y",
        ] {
            options.headers.append(try HTTPHeader(parsing: line))
        }
        let origin = try makeOrigin(transport: transport, options: options)
        _ = try await origin.read(.whole).collect()
        let sent = transport.requests[0].headers
        #expect(sent.values(of: "Range") == ["bytes=0-"])
        #expect(sent.values(of: "Accept-Encoding") == ["identity"])
        #expect(!sent.contains("If-Range") && !sent.contains("If-None-Match"))
        #expect(sent["X"] == "y")
    }

    @Test("for one version sends the condition, and accepts no bytes of another")
    func obeysPin() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        let origin = try makeOrigin(transport: transport)
        let version = ReadDemand.Version(validator: .entityTag("\"v1\""), length: 10_000)
        let reading = try await origin.read(ReadDemand(.from(9_000), version: version))
        #expect(try await reading.collect() == PatternBytes.bytes(in: 9_000..<10_000))
        #expect(transport.requests[0].headers["If-Range"] == "\"v1\"")
        for version in [
            ReadDemand.Version(validator: .entityTag("\"v2\""), length: 10_000),
            ReadDemand.Version(validator: nil, length: 9_999),
        ] {
            let error = await sourceError {
                _ = try await origin.read(ReadDemand(.from(9_000), version: version))
            }
            #expect(error?.code == .changed)
        }
    }

    @Test("reports each step to its observer")
    func tellsObserver() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, index in
            switch index {
            case 0:
                .answer(
                    302,
                    [("Location", "https://cdn.test/x?sig=s3cret"), ("Content-Length", "0")]
                )
            default: file.reply(to: request)
            }
        }
        let log = EventLog()
        let origin = try makeOrigin(
            "https://u:s3cret@media.test/a.mp3?t=s3cret",
            transport: transport,
            log: log
        )
        _ = try await origin.read(.span(0..<5_000)).collect()
        #expect(
            log.lines.value == [
                "requested media.test 0..<5000", "answered media.test 302",
                "redirected https://media.test/a.mp3 https://cdn.test/…",
                "requested cdn.test 0..<5000", "answered cdn.test 206",
            ]
        )
        #expect(log.receivedBytes.value == 5_000)
    }

    @Test(
        "sends requests for the same generation to the remembered target, and others to the origin"
    )
    func remembersTarget() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, _ in
            request.url.host == "media.test"
                ? .answer(302, [("Location", "https://cdn.test/x")]) : file.reply(to: request)
        }
        let origin = try makeOrigin(transport: transport)
        let version = try await origin.describe().version
        _ = try await origin.read(ReadDemand(.from(9_000), version: version)).collect()
        _ = try await origin.read(.from(9_000)).collect()
        #expect(
            transport.requests.map(\.url.host)
                == ["media.test", "cdn.test", "cdn.test", "media.test", "cdn.test"]
        )
    }

    @Test("keeps to a rate")
    func holdsRate() async throws {
        let file = ScriptedFile(length: 3_000)
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        let clock = ManualClock()
        var options = plainOptions
        options.rateLimiter = RateLimiter(unitsPerSecond: 500, clock: clock)
        let reading = try await makeOrigin(transport: transport, options: options).read(.whole)
        async let bytes = reading.collect()
        try await clock.pass([.seconds(2), .seconds(2)])
        #expect(try await bytes.count == 3_000)
        #expect(clock.now.offset == .seconds(4))
    }

    @Test("with a rate, gives a large piece of a body in parts of a tenth of a second")
    func handsOnAtTheRate() async throws {
        let file = ScriptedFile(length: 500_000, piece: 500_000)
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        let clock = ManualClock()
        var options = plainOptions
        options.rateLimiter = RateLimiter(unitsPerSecond: 2_000_000, clock: clock)
        let reading = try await makeOrigin(transport: transport, options: options).read(.whole)
        async let counts = reading.reduce(into: []) { $0.append($1.count) }
        try await clock.pass([.milliseconds(100), .milliseconds(100)])
        #expect(try await counts == [200_000, 200_000, 100_000])
        #expect(clock.now.offset == .milliseconds(200))
    }

    @Test("a reading that is cancelled during its wait leaves the rate to the others")
    func leavesTheRate() async throws {
        let file = ScriptedFile(length: 3_000)
        let transport = ScriptedTransport { request, _ in file.reply(to: request) }
        let clock = ManualClock()
        var options = plainOptions
        options.rateLimiter = RateLimiter(unitsPerSecond: 500, clock: clock)
        let origin = try makeOrigin(transport: transport, options: options)
        let first = try await origin.read(.whole).makeAsyncIterator()
        #expect(try await first.next()?.count == 1_000)
        let leaving = Task { try await first.next() }
        await clock.waitForSleepers(1)
        leaving.cancel()
        await #expect(throws: CancellationError.self) { _ = try await leaving.value }
        let other = try await origin.read(.whole).makeAsyncIterator()
        async let chunk = other.next()
        await clock.waitForSleepers(1)
        // The rate counts only the bytes that readers received.
        clock.advance(by: .seconds(2))
        #expect(try await chunk?.count == 1_000)
    }
}
