// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirProxy
import WeirSource
import WeirTestKit

@Suite("Pages beside the media", .timeLimit(.minutes(1)))
struct PageServiceTests {
    private static let configuration = ProxyConfiguration(secret: "s3cret")
    private static let sources: [String: any ByteSource] = [
        "/a": MemorySource(bytes: [1, 2, 3])
    ]

    /// An answer of a page whose body is a reading.
    private static func reading(_ reading: ByteReading) -> PageAnswer {
        PageAnswer(fields: [("Content-Type", "application/x-ndjson")], body: .reading(reading))
    }

    @Test("a page is served without the secret, with its status, its fields and its length")
    func answers() async throws {
        let pages = ScriptedPages { request in
            var answer = ScriptedPages.text("of \(request.path)\n", status: 404)
            answer.fields.append(("X-Own", "yes"))
            return answer
        }
        try await TestProxy.run(Self.sources, Self.configuration, pages: pages) { proxy in
            let client = try await proxy.connect()
            let answer = try await client.get("/page/x/y?q=%20&b", ["Authorization: Bearer k"])
            #expect(answer.status == 404)
            #expect(answer["Content-Type"] == "text/plain")
            #expect(answer["X-Own"] == "yes")
            #expect(answer["X-Content-Type-Options"] == "nosniff")
            #expect(answer["Content-Length"] == "8")
            #expect(answer.text == "of /x/y\n")
            // The connection stays open, and serves media, too.
            #expect(try await client.get("/s3cret/a").body == [1, 2, 3])
            #expect(try await client.get("/page").text == "of \n")
        }
        #expect(pages.requests.value.allSatisfy { $0.isFromThisMachine })
        #expect(
            pages.requests.value == [
                PageRequest(
                    method: .get,
                    path: "/x/y",
                    query: "q=%20&b",
                    authorization: "Bearer k"
                ),
                PageRequest(method: .get, path: ""),
            ]
        )
    }

    @Test("without a page service /page/ is not found")
    func none() async throws {
        try await TestProxy.run(Self.sources, Self.configuration) { proxy in
            let client = try await proxy.connect()
            for target in ["/page", "/page/", "/page/state"] {
                #expect(try await client.get(target).status == 404)
            }
            #expect(try await client.get("/page/", method: "POST").status == 405)
        }
    }

    @Test("a request for a page is never recorded as a player's request")
    func events() async throws {
        let pages = ScriptedPages()
        try await TestProxy.run(Self.sources, Self.configuration, pages: pages) { proxy in
            let client = try await proxy.connect()
            for method in ["GET", "HEAD", "POST", "PUT"] {
                _ = try await client.get("/page/", method: method)
            }
            #expect(try await client.get("/s3cret/a").status == 200)
            let records = try await proxy.records(1)
            #expect(records.map(\.target) == ["/a"])
            #expect(records[0].id.request == 5, "its number counts pages, too")
        }
    }

    @Test("a request with a host name that is not this machine's does not reach the page service")
    func host() async throws {
        let pages = ScriptedPages()
        try await TestProxy.run(Self.sources, Self.configuration, pages: pages) { proxy in
            let client = try await proxy.connect()
            try await client.send("GET /page/ HTTP/1.1\r\nHost: evil.example\r\n\r\n")
            #expect(try await client.response().status == 421)
        }
        #expect(pages.requests.value.isEmpty)
    }

    @Test("OPTIONS is refused without a grant, and so are methods that pages do not have")
    func methods() async throws {
        let pages = ScriptedPages()
        var configuration = Self.configuration
        configuration.allowedCrossOrigins = ["https://player.example"]
        try await TestProxy.run(Self.sources, configuration, pages: pages) { proxy in
            let fields = [
                "Origin: https://evil.example", "Access-Control-Request-Method: POST",
            ]
            let answer = try await proxy.get("/page/actions/pin", method: "OPTIONS", fields)
            #expect(answer.status == 405)
            #expect(!answer.fields.contains { $0.name.hasPrefix("Access-Control-Allow") })
            for method in ["PUT", "DELETE", "PATCH", "TRACE"] {
                #expect(try await proxy.get("/page/", method: method).status == 405)
            }
            #expect(pages.requests.value.isEmpty)
            #expect(try await proxy.get("/s3cret/a", method: "POST").status == 405)
            #expect(try await proxy.get("/page/a", method: "POST").status == 200)
            #expect(pages.requests.value.map(\.method) == [.post])
        }
    }

    @Test("a POST that declares an empty body keeps its connection; one with a body ends it")
    func bodies() async throws {
        try await TestProxy.run(Self.sources, Self.configuration, pages: ScriptedPages()) { proxy in
            let client = try await proxy.connect()
            for _ in 0..<2 {
                let answer = try await client.get(
                    "/page/a",
                    method: "POST",
                    ["Content-Length: 0"]
                )
                #expect(answer.status == 200)
                #expect(answer["Connection"] == nil)
            }
            try await client.send(
                RawClient.request("/page/a", method: "POST", ["Content-Length: 5"]) + "12345"
            )
            let answer = try await client.response()
            #expect(answer.status == 200)
            #expect(answer["Connection"] == "close")
            try await client.waitForEnd()
        }
    }

    @Test(
        "a request from another site's page is marked as such",
        arguments: [
            ([], false),
            (["Sec-Fetch-Site: same-origin"], false),
            (["Sec-Fetch-Site: none"], false),
            (["Sec-Fetch-Site: same-site"], true),
            (["Sec-Fetch-Site: cross-site"], true),
            (["Sec-Fetch-Site: same-origin", "Sec-Fetch-Site: cross-site"], true),
            (["Sec-Fetch-Site: "], true),
            (["Origin: http://127.0.0.1"], false),
            (["Origin: HTTP://127.0.0.1"], false),
            (["Origin: https://127.0.0.1"], true),
            (["Origin: http://127.0.0.1:80"], true),
            (["Origin: http://evil.example"], true),
            (["Origin: null"], true),
            (["Origin: http://127.0.0.1", "Origin: http://evil.example"], true),
            // `Sec-Fetch-Site` takes precedence over `Origin`.
            (["Sec-Fetch-Site: same-origin", "Origin: https://127.0.0.1"], false),
            (["Sec-Fetch-Site: cross-site", "Origin: http://127.0.0.1"], true),
        ] as [([String], Bool)]
    )
    func otherSites(fields: [String], isOther: Bool) async throws {
        let pages = ScriptedPages()
        try await TestProxy.run(Self.sources, Self.configuration, pages: pages) { proxy in
            let answer = try await proxy.get("/page/state", fields)
            #expect(answer.status == 200)
        }
        #expect(pages.requests.value.map(\.isFromAnotherSite) == [isOther])
    }

    @Test("HEAD gets only the header, for bytes and for a reading")
    func head() async throws {
        let source = ScriptedSource(length: 100_000)
        let pages = ScriptedPages { request in
            request.path == "/reading"
                ? Self.reading(try await source.read(.whole)) : ScriptedPages.text("page\n")
        }
        try await TestProxy.run(Self.sources, Self.configuration, pages: pages) { proxy in
            let client = try await proxy.connect()
            for (target, length) in [("/page/", "5"), ("/page/reading", "100000")] {
                let answer = try await client.get(target, method: "HEAD")
                #expect(answer.status == 200)
                #expect(answer["Content-Length"] == length)
            }
            #expect(try await client.get("/page/").text == "page\n")
        }
        #expect(source.log.byteCount == 0)
        try await source.waitUntilIdle()
    }

    @Test("a reading is sent with its length, or in chunks if the length is unknown")
    func readings() async throws {
        let content = PatternBytes.bytes(in: 0..<100_000)
        let pages = ScriptedPages { request in
            let isKnown = request.path == "/known"
            let source = MemorySource(bytes: content, isLengthKnown: isKnown)
            return Self.reading(try await source.read(.whole))
        }
        try await TestProxy.run(Self.sources, Self.configuration, pages: pages) { proxy in
            let client = try await proxy.connect()
            let known = try await client.get("/page/known")
            #expect(known["Content-Length"] == "100000")
            #expect(known["Transfer-Encoding"] == nil)
            #expect(known.body == content)
            let unknown = try await client.get("/page/unknown")
            #expect(unknown["Content-Length"] == nil)
            #expect(unknown["Transfer-Encoding"] == "chunked")
            #expect(unknown.body == content)
            #expect(try await client.get("/page/known").body == content)
        }
    }

    @Test(
        "to HTTP/1.0 a reading of unknown length ends with the connection, and other answers do not"
    )
    func oldVersion() async throws {
        let content = PatternBytes.bytes(in: 0..<100_000)
        let pages = ScriptedPages { request in
            guard request.path == "/stream" else { return ScriptedPages.text("page\n") }
            let source = MemorySource(bytes: content, isLengthKnown: false)
            return Self.reading(try await source.read(.whole))
        }
        try await TestProxy.run(Self.sources, Self.configuration, pages: pages) { proxy in
            let client = try await proxy.connect()
            let keep = "Host: 127.0.0.1\r\nConnection: keep-alive\r\n\r\n"
            try await client.send("GET /page/ HTTP/1.0\r\n\(keep)")
            let first = try await client.response()
            #expect(first["Connection"] == "keep-alive")
            #expect(first.text == "page\n")
            try await client.send("GET /page/stream HTTP/1.0\r\n\(keep)")
            let second = try await client.response()
            #expect(second["Connection"] == "close")
            #expect(second["Transfer-Encoding"] == nil)
            #expect(second.body == content)
            #expect(try await client.waitForEnd().wasReset == false)
        }
    }

    @Test("a reading that fails ends its connection short", arguments: ["/known", "/unknown"])
    func failing(path: String) async throws {
        let pages = ScriptedPages { request in
            var resource = ScriptedResource(length: 300_000)
            resource.isLengthKnown = request.path == "/known"
            let source = ScriptedSource(resource)
            source.fail(at: 50_000, with: SourceError(.damaged, "A disk failed."))
            return Self.reading(try await source.read(.whole))
        }
        try await TestProxy.run(Self.sources, Self.configuration, pages: pages) { proxy in
            let client = try await proxy.connect()
            try await client.send(RawClient.request("/page\(path)"))
            #expect(try await client.head().status == 200)
            let rest = try await client.waitForEnd()
            #expect(rest.bytes.count < 60_000)
            #expect(!rest.bytes.suffix(5).elementsEqual("0\r\n\r\n".utf8))
            #expect(proxy.records.value.isEmpty)
        }
    }

    @Test("a client that leaves ends the reading, and the task that makes the answer")
    func leaving() async throws {
        let source = ScriptedSource(length: 100_000_000)
        let gate = Gate()
        let pages = ScriptedPages { request in
            if request.path == "/slow" { try await gate.wait() }
            return Self.reading(try await source.read(.whole))
        }
        try await TestProxy.run(Self.sources, Self.configuration, pages: pages) { proxy in
            let slow = try await proxy.connect()
            try await slow.send(RawClient.request("/page/slow"))
            try await gate.waitForWaiters(1)
            await slow.close()
            try await pages.departures.wait { $0 == 1 }
            let reader = try await proxy.connect(isReading: false, receiveBuffer: 4096)
            try await reader.send(RawClient.request("/page/"))
            try await source.waitForBytes(1)
            await reader.close()
            try await source.waitForDepartures(1)
        }
        #expect(source.log.byteCount < 100_000_000)
    }

    @Test("a page needs no slot, so players do not block it")
    func slots() async throws {
        let source = ScriptedSource(length: 1_000_000)
        let gate = source.hold(before: 0)
        defer { gate.open() }
        var configuration = Self.configuration
        configuration.maximumConnections = 1
        try await TestProxy.run(["/a": source], configuration, pages: ScriptedPages()) { proxy in
            let player = try await proxy.connect()
            try await player.send(RawClient.request("/s3cret/a"))
            try await source.waitForReads(1)
            #expect(try await proxy.get("/page/").status == 200)
            gate.open()
        }
    }
}
