// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("A transport for stations", .timeLimit(.minutes(1)))
struct HTTPStationTransportTests {
    private func station(
        _ address: String,
        _ headers: [String] = [],
        _ transport: ScriptedTransport
    ) throws -> HTTPStationTransport {
        HTTPStationTransport(
            url: try OriginURL(station: address),
            headers: HTTPHeaderList(try headers.map { try HTTPHeader(parsing: $0) }),
            transport: transport
        )
    }

    private static let sound = ScriptedTransport.Reply.answer(
        200,
        [("Content-Type", "Audio/MPEG; x=y"), ("icy-name", "One"), ("icy-metaint", "16")],
        [1, 2, 3]
    )

    private static func redirect(_ location: String, _ status: Int = 302) -> ScriptedTransport.Reply
    {
        .answer(status, [("Location", location)])
    }

    @Test(
        "recognises a playlist by its name, if the server's type does not show it",
        arguments: [
            ("/a.M3U?t=1", "text/plain; charset=utf-8", "audio/mpegurl"),
            ("/a.m3u8", nil, "audio/mpegurl"),
            ("/a.pls", "application/octet-stream", "audio/x-scpls"),
            ("/a.xspf", "text/plain", "application/xspf+xml"),
            ("/a.m3u", "audio/mpeg", "audio/mpeg"), ("/a.txt", "text/plain", "text/plain"),
            ("/a", nil, nil),
        ] as [(String, String?, String?)]
    )
    func lists(_ path: String, _ type: String?, _ expected: String?) async throws {
        let fields = type.map { [("Content-Type", $0)] } ?? []
        let transport = ScriptedTransport(.answer(200, fields))
        let station = try self.station("http://radio.example\(path)", [], transport)
        #expect(try await station.connect(to: .station).mediaType == expected)
    }

    @Test("requests titles, with Weir's own name, for the whole stream without a coding")
    func asks() async throws {
        let transport = ScriptedTransport(Self.sound)
        let headers = ["Range: bytes=1-", "Accept-Encoding: gzip", "icy-metadata: 0", "X-Key: k"]
        let station = try self.station("http://radio.example:8000/;", headers, transport)
        let answer = try await station.connect(to: .station)
        #expect(answer.mediaType == "audio/mpeg")
        #expect(answer.display == "http://radio.example:8000/;")
        #expect(answer.fields.map(\.0) == ["Content-Type", "icy-name", "icy-metaint"])
        #expect(try await answer.body.next()?.withUnsafeBytes { Array($0) } == [1, 2, 3])
        #expect(try await answer.body.next() == nil)
        let request = try #require(transport.requests.first)
        #expect(request.url.requestTarget == "/;")
        #expect(request.headers.values(of: "Icy-MetaData") == ["1"])
        #expect(request.headers["User-Agent"] == HTTPOrigin.userAgent)
        #expect(!HTTPOrigin.userAgent.hasPrefix("Mozilla"))
        #expect(request.headers["X-Key"] == "k")
        #expect(request.headers["Range"] == nil)
        #expect(request.headers["Accept-Encoding"] == nil)
    }

    @Test(
        "reads addresses without a path",
        arguments: [
            ("http://h:8000", "http://h:8000/"), ("https://h", "https://h/"),
            ("http://h:8000?a=b", "http://h:8000/?a=b"), (" http://h:80/ ", "http://h/"),
            ("icy://h:8000/live", "http://h:8000/live"), ("ICY://h", "http://h/"),
            ("http://h:8000/;stream.nsv", "http://h:8000/;stream.nsv"),
            ("http://h#f", "http://h/"),
        ]
    )
    func addresses(_ text: String, _ address: String) throws {
        #expect(try OriginURL(station: text).location() == address)
    }

    @Test(
        "refuses invalid addresses",
        arguments: ["", "h:8000", "ftp://h", "http://", "icy:h", "/a"]
    )
    func badAddresses(_ text: String) async {
        let error = await sourceError { _ = try OriginURL(station: text) }
        #expect(error?.code == .invalidRequest)
    }

    @Test("follows redirects from the first address, every time")
    func follows() async throws {
        let transport = ScriptedTransport(
            Self.redirect("/a", 301),
            Self.redirect("http://other.example/b?token=1", 307),
            Self.sound,
            Self.redirect("https://third.example/c?token=2"),
            Self.sound
        )
        let station = try self.station("http://radio.example", [], transport)
        #expect(try await station.connect(to: .station).display == "http://other.example/…")
        #expect(try await station.connect(to: .station).display == "https://third.example/…")
        #expect(
            transport.requests.map { $0.url.location() } == [
                "http://radio.example/", "http://radio.example/a",
                "http://other.example/b?token=1", "http://radio.example/",
                "https://third.example/c?token=2",
            ]
        )
    }

    @Test("follows twenty redirects and no more, and the error has the first and the last address")
    func bounds() async throws {
        let twenty = ScriptedTransport { _, index in
            index < 20 ? Self.redirect("/\(index)") : Self.sound
        }
        _ = try await self.station("http://h/", [], twenty).connect(to: .station)
        #expect(twenty.requests.count == 21)
        let endless = ScriptedTransport { _, index in
            Self.redirect("http://other/\(index)?t=s3cret")
        }
        let error = await sourceError {
            _ = try await self.station("http://h/live", [], endless).connect(to: .station)
        }
        #expect(error?.code == .badAnswer && error?.cause is EndlessRedirects)
        #expect(
            error?.message.hasPrefix(
                "http://h/live redirects more than 20 times, at last to http://other/…;"
            ) == true
        )
        #expect(endless.requests.count == 21)
        let near = ScriptedTransport { _, index in Self.redirect("/\(index)?t=s3cret") }
        let told = await sourceError {
            _ = try await self.station("http://h/live", [], near).connect(to: .station)
        }
        #expect(told?.message.contains("at last to http://h/20;") == true)
    }

    @Test("a repeated address is a circle, which is followed once")
    func circles() async throws {
        let circle = ScriptedTransport { _, index in Self.redirect(["/a", "/b", "/c"][index % 3]) }
        let error = await sourceError {
            _ = try await self.station("http://h/live", [], circle).connect(to: .station)
        }
        #expect(error?.code == .badAnswer && error?.cause is EndlessRedirects)
        #expect(error?.message.contains("redirects in a circle") == true)
        #expect(circle.requests.count == 4)
    }

    @Test("an address that sets a cookie and redirects to itself is not a circle")
    func cookies() async throws {
        let transport = ScriptedTransport { request, _ in
            request.headers["Cookie"] == "pass=1; way=2"
                ? Self.sound
                : .answer(
                    302,
                    [
                        ("Location", "/live"), ("Set-Cookie", "pass=1; Path=/live"),
                        ("Set-Cookie", "way=2; Max-Age=60"), ("Set-Cookie", "old=3; Max-Age=0"),
                    ]
                )
        }
        let station = try self.station("http://h/live", [], transport)
        _ = try await station.connect(to: .station)
        #expect(transport.requests.map { $0.headers["Cookie"] } == [nil, "pass=1; way=2"])
        // Each connection uses only the cookies of its own redirects.
        _ = try await station.connect(to: .station)
        #expect(transport.requests.count == 4)
        let other = ScriptedTransport(
            .answer(302, [("Location", "http://other/"), ("Set-Cookie", "pass=s3cret")]),
            Self.sound
        )
        _ = try await self.station("http://h/live", [], other).connect(to: .station)
        #expect(other.requests.allSatisfy { !$0.headers.contains("Cookie") })
    }

    @Test("a redirect without a target is an error")
    func nowhere() async throws {
        let nowhere = ScriptedTransport(.answer(302))
        #expect(
            await sourceError {
                _ = try await self.station("http://h/", [], nowhere).connect(to: .station)
            }?.code
                == .badAnswer
        )
    }

    @Test("the user's headers are sent only to the named origin")
    func keepsHeaders() async throws {
        let transport = ScriptedTransport(
            Self.redirect("/a"),
            Self.redirect("http://other.example/"),
            Self.redirect("http://radio.example/back"),
            Self.sound
        )
        let headers = ["X-Key: secret", "User-Agent: Mine/1"]
        let station = try self.station("http://user:pass@radio.example/", headers, transport)
        _ = try await station.connect(to: .station)
        #expect(transport.requests.map { $0.headers["X-Key"] } == ["secret", "secret", nil, nil])
        #expect(
            transport.requests.map { $0.headers["Authorization"] != nil } == [
                true, true, false, false,
            ]
        )
        #expect(Set(transport.requests.map { $0.headers["User-Agent"] }) == ["Mine/1"])
        #expect(Set(transport.requests.map { $0.headers["Icy-MetaData"] }) == ["1"])
    }

    @Test("goes from https to http only without private headers")
    func downgrades() async throws {
        for (address, headers, isFollowed) in [
            ("https://h/", [], true), ("https://h/", ["User-Agent: Mine/1"], true),
            ("https://h/", ["X-Key: k"], false), ("https://u:p@h/", [], false),
        ] as [(String, [String], Bool)] {
            let transport = ScriptedTransport(Self.redirect("http://other.example/"), Self.sound)
            let station = try self.station(address, headers, transport)
            let error = await sourceError { _ = try await station.connect(to: .station) }
            #expect(error?.code == (isFollowed ? nil : .insecure))
            #expect(transport.requests.count == (isFollowed ? 2 : 1))
        }
    }

    @Test(
        "entries are relative to the playlist's address, and get headers only for their own origin"
    )
    func entries() async throws {
        let list = ScriptedTransport.Reply.answer(200, [("Content-Type", "audio/x-scpls")])
        let transport = ScriptedTransport { request, _ in
            switch request.url.requestTarget {
            case "/listen": Self.redirect("/lists/one.pls")
            case "/lists/one.pls", "/more/two": list
            default: Self.sound
            }
        }
        let station = try self.station("https://radio.example/listen", ["X-Key: k"], transport)
        _ = try await station.connect(to: .station)
        _ = try await station.connect(to: .entry("stream?q=1"))
        _ = try await station.connect(to: .entry("http://other.example:8000"))
        // A list from another list becomes the new base of relative names.
        _ = try await station.connect(to: .entry("../more/two"))
        _ = try await station.connect(to: .entry("deep"))
        _ = try await station.connect(to: .station)
        _ = try await station.connect(to: .entry("icy://other.example/x"))
        let targets = transport.requests.map { $0.url.location() }
        #expect(
            targets == [
                "https://radio.example/listen", "https://radio.example/lists/one.pls",
                "https://radio.example/lists/stream?q=1", "http://other.example:8000/",
                "https://radio.example/more/two", "https://radio.example/more/deep",
                "https://radio.example/listen", "https://radio.example/lists/one.pls",
                "http://other.example/x",
            ]
        )
        for request in transport.requests {
            #expect((request.headers["X-Key"] != nil) == (request.url.host == "radio.example"))
        }
        let error = await sourceError {
            _ = try await station.connect(to: .entry("C:\\music\\a.mp3"))
        }
        #expect(error?.code == .badAnswer)
    }

    @Test(
        "the status gives the error's code and delay",
        arguments: [
            (401, SourceError.Code.unauthorized), (403, .forbidden), (404, .notFound),
            (410, .notFound), (429, .throttled), (503, .throttled), (500, .originFailed),
            (502, .originFailed), (400, .badAnswer), (418, .badAnswer), (204, .badAnswer),
            (206, .badAnswer), (304, .badAnswer),
        ]
    )
    func statuses(_ status: Int, _ code: SourceError.Code) async throws {
        let transport = ScriptedTransport(.answer(status, [("Retry-After", "20")]))
        let station = try self.station("http://h/live?key=s3cret", [], transport)
        let error = await sourceError { _ = try await station.connect(to: .station) }
        #expect(error?.code == code)
        #expect(error?.status == status)
        #expect(error?.host == "h")
        #expect(error?.message.contains("s3cret") == false)
        #expect(error?.message.contains("http://h/live") == true)
        #expect(
            (error?.cause as? StationPatience)?.delay == (code == .throttled ? .seconds(20) : nil)
        )
        if code == .throttled { #expect(error?.message.contains("20 s") == true) }
        #expect(transport.bodies.allSatisfy { $0.state.value.isCancelled })
    }

    @Test("an unrequested coding is an error")
    func codings() async throws {
        let transport = ScriptedTransport(.answer(200, [("Content-Encoding", "gzip")]))
        let error = await sourceError {
            _ = try await self.station("http://h/", [], transport).connect(to: .station)
        }
        #expect(error?.code == .badAnswer)
    }

    @Test(
        "failures of the connection are sentences with a code",
        arguments: [
            (HTTPTransportError.Code.unreachable, SourceError.Code.unreachable),
            (.connectTimedOut, .timedOut), (.connectionLost, .unreachable), (.insecure, .insecure),
            (.malformed, .badAnswer), (.closed, .closed),
        ]
    )
    func failures(_ code: HTTPTransportError.Code, _ expected: SourceError.Code) async throws {
        let failing = ScriptedTransport(.fail(HTTPTransportError(code, "reason")))
        let error = await sourceError {
            _ = try await self.station("http://h/", [], failing).connect(to: .station)
        }
        #expect(error?.code == expected)
        #expect(error?.message.contains("(reason)") == true || code == .closed)
        let breaking = ScriptedTransport(
            .answer(
                200,
                [],
                [.bytes([1]), .fail(HTTPTransportError(code, "reason"))],
                isEndProven: false
            )
        )
        let answer = try await self.station("http://h/", [], breaking).connect(to: .station)
        #expect(try await answer.body.next()?.count == 1)
        #expect(await sourceError { _ = try await answer.body.next() }?.code == expected)
    }

    @Test("a cancelled call ends at once, and a cancelled stream, too")
    func cancels() async throws {
        let silent = ScriptedTransport(.noAnswer)
        let station = try self.station("http://h/", [], silent)
        let call = Task { try await station.connect(to: .station) }
        try await silent.state.wait { $0.sentCount == 1 }
        call.cancel()
        await #expect(throws: CancellationError.self) { _ = try await call.value }

        let stalling = ScriptedTransport(.answer(200, [], [.stall], isEndProven: false))
        let answer = try await self.station("http://h/", [], stalling).connect(to: .station)
        let next = Task { try await answer.body.next() }
        try await stalling.bodies[0].state.wait { $0.isStalling }
        answer.body.cancel()
        await #expect(throws: CancellationError.self) { _ = try await next.value }
    }

    @Test("a dropped stream is closed")
    func drops() async throws {
        let transport = ScriptedTransport(.answer(200, [], [.stall], isEndProven: false))
        let station = try self.station("http://h/", [], transport)
        _ = try await station.connect(to: .station)
        #expect(transport.bodies[0].state.value.isCancelled)
    }

    @Test("an observer receives requests, responses, redirects and bytes, and no secret")
    func tells() async throws {
        let events = Watched<[String]>([])
        let transport = ScriptedTransport(Self.redirect("http://other.example/key?t=1"), Self.sound)
        let station = HTTPStationTransport(
            url: try OriginURL("http://h/live?key=s3cret"),
            transport: transport,
            observer: { event in events.update { $0.append("\(event)") } }
        )
        let answer = try await station.connect(to: .station)
        _ = try await answer.body.next()
        let told = events.value
        #expect(told.count == 6)
        #expect(told.allSatisfy { !$0.contains("s3cret") && !$0.contains("/key") })
    }
}
