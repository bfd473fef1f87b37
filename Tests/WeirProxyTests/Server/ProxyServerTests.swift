// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirProxy
import WeirSource
import WeirTestKit

@Suite("The server", .timeLimit(.minutes(1)))
struct ProxyServerTests {
    private let router = TestProxy.Router(sources: ["/a/b.mp3": MemorySource(bytes: [1, 2, 3])])

    private func failure(_ configuration: ProxyConfiguration) async -> ProxyError? {
        do throws(ProxyError) {
            await (try ProxyServer.start(configuration, router: self.router)).shutdown()
            return nil
        } catch {
            return error
        }
    }

    @Test("the error for a used port says what to do")
    func portInUse() async throws {
        try await TestProxy.run([:]) { proxy in
            let failure = await self.failure(ProxyConfiguration(port: proxy.port))
            #expect(failure?.code == .portInUse)
            #expect(
                failure?.message.contains("use port 0 for a free one, or stop the other") == true
            )
        }
    }

    @Test("a port is free again after a shutdown")
    func portAgain() async throws {
        let port = try await TestProxy.run([:]) { $0.port }
        #expect(await self.failure(ProxyConfiguration(port: port)) == nil)
    }

    @Test(
        "without a secret the proxy listens only on the loopback interface",
        arguments: ["0.0.0.0", "::", "192.168.0.1", "example.org", "127.0.0.1.example.org", ""]
    )
    func insecure(host: String) async {
        let failure = await self.failure(ProxyConfiguration(host: host, secret: nil))
        #expect(failure?.code == .insecure)
    }

    @Test("an address of another machine is an error")
    func foreignAddress() async {
        let failure = await self.failure(ProxyConfiguration(host: "192.0.2.1"))
        #expect(failure?.code == .cannotListen)
    }

    @Test("impossible settings are an error")
    func nonsense() async {
        for port in [-1, 65_536] {
            let failure = await self.failure(ProxyConfiguration(port: port))
            #expect(failure?.code == .invalidConfiguration)
        }
        for secret in ["", "a/b", "a b", "\u{E9}", String(repeating: "a", count: 129)] {
            let failure = await self.failure(ProxyConfiguration(secret: secret))
            #expect(failure?.code == .invalidConfiguration)
            #expect(secret.isEmpty || failure?.message.contains(secret) == false)
        }
    }

    @Test("the secret leads to the resource, and another secret does not")
    func secret() async throws {
        let configuration = ProxyConfiguration()
        let secret = try #require(configuration.secret)
        #expect(secret.count == 32)
        try await TestProxy.run(self.router.sources, configuration) { proxy in
            #expect(proxy.server.baseURL == "http://127.0.0.1:\(proxy.port)/\(secret)")
            let client = try await proxy.connect()
            #expect(try await client.get("/\(secret)/a/b.mp3?x").body == [1, 2, 3])
            let unknown = try await client.get("/\(secret)/a/c.mp3")
            let wrong = try await client.get("/\(ProxySecret().text)/a/b.mp3")
            #expect(unknown.status == 404)
            #expect(wrong.status == 404)
            #expect(unknown.body == wrong.body)
            #expect(unknown.fields.map(\.name) == wrong.fields.map(\.name))
            #expect(try await client.get("/healthz").text == "ok\n")
            let records = try await proxy.records(4)
            #expect(records.map(\.target) == ["/a/b.mp3", "/a/c.mp3", nil, "/healthz"])
            #expect(records.map(\.method) == ["GET", "GET", "GET", "GET"])
            #expect(records[0].sentByteCount == 3)
        }
    }

    @Test("no two secrets are equal, and none is printed")
    func secrets() {
        let secrets = Set((0..<100).map { _ in ProxySecret() })
        #expect(secrets.count == 100)
        #expect(secrets.allSatisfy { $0.text.count == 32 && ProxySecret($0.text) == $0 })
        #expect(secrets.allSatisfy { !"\($0)".contains($0.text) })
    }

    @Test("a host name of another site is refused")
    func host() async throws {
        var configuration = ProxyConfiguration(secret: nil)
        configuration.allowedHosts = ["media.example"]
        try await TestProxy.run(self.router.sources, configuration) { proxy in
            let client = try await proxy.connect()
            for (host, status) in [
                ("evil.example", 421), ("media.example:80", 200), ("localhost", 200), ("a b", 400),
            ] {
                try await client.send("GET /a/b.mp3 HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                #expect(try await client.response().status == status)
            }
            try await client.send("GET /a/b.mp3 HTTP/1.1\r\n\r\n")
            #expect(try await client.response().status == 400)
        }
    }

    @Test("a request line of 100 KiB is refused as too long")
    func longRequestLine() async throws {
        try await TestProxy.run(self.router.sources) { proxy in
            for _ in 0..<10 {
                let client = try await proxy.connect()
                let path = String(repeating: "a", count: 100 * 1024)
                try await client.send(RawClient.request("/\(path)"))
                let response = try await client.response()
                #expect(response.status == 414)
                #expect(response["Connection"] == "close")
                // The proxy has unread bytes, but must not reset the connection: the client may not have seen the
                // response.
                let end = try await client.waitForEnd()
                #expect(!end.wasReset)
            }
            let record = try await proxy.records(1)[0]
            #expect(record.status == 414)
            #expect(record.method == nil)
        }
    }

    @Test("a thousand nonsense ranges on one connection get a thousand right answers")
    func nonsenseRanges() async throws {
        var random = SeededGenerator(seed: 0xBAD)
        let content = PatternBytes.bytes(in: 0..<1000)
        let pieces = [
            "bytes", "=", "=", "-", "-", ",", " ", "0", "1", "99", "999", "1000", "1001",
            "99999999999999999999", "x", "%", "\"", ";", "bytes=", "bytes=0-", "bytes=-",
        ]
        try await TestProxy.run(["/a": MemorySource(bytes: content)]) { proxy in
            let client = try await proxy.connect()
            for _ in 0..<1000 {
                let value = (0..<Int.random(in: 1...6, using: &random))
                    .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
                let response = try await client.get("/a", ["Range: \(value)"])
                let context = Comment("\(value), seed \(random.seed)")
                switch response.status {
                case 200:
                    #expect(response.body == content, context)
                case 206:
                    let bounds = (response["Content-Range"] ?? "").dropFirst(6)
                        .split(whereSeparator: { "-/".contains($0) }).compactMap { Int($0) }
                    try #require(bounds.count == 3 && bounds[0] <= bounds[1], context)
                    #expect(bounds[2] == 1000, context)
                    #expect(response.body.elementsEqual(content[bounds[0]...bounds[1]]), context)
                case 416:
                    #expect(response["Content-Range"] == "bytes */1000", context)
                default:
                    Issue.record("status \(response.status) to \(value)")
                }
            }
        }
    }

    @Test("random bytes do no harm")
    func garbage() async throws {
        var random = SeededGenerator(seed: 0xF00D)
        try await TestProxy.run(self.router.sources) { proxy in
            for _ in 0..<100 {
                let client = try await proxy.connect()
                var bytes = Array(RawClient.request("/a/b.mp3", ["Range: bytes=0-1"]).utf8)
                for _ in 0..<Int.random(in: 1...8, using: &random) {
                    let index = Int.random(in: 0..<bytes.count, using: &random)
                    bytes[index] = UInt8.random(in: 0...255, using: &random)
                }
                try? await client.send(bytes)
                await client.close()
            }
            #expect(try await proxy.get("/a/b.mp3").status == 200, "seed \(random.seed)")
        }
    }

    @Test("a base address names the address on which the proxy listens")
    func baseURL() async throws {
        let configuration = ProxyConfiguration(host: "0.0.0.0", secret: "s")
        try await TestProxy.run(self.router.sources, configuration) { proxy in
            #expect(proxy.server.baseURL == "http://127.0.0.1:\(proxy.port)/s")
            let response = try await proxy.get("/s/a/b.mp3")
            #expect(response.status == 200)
        }
    }
}
