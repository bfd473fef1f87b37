// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirHTTP

@Suite("A client for small services")
struct ServiceClientTests {
    /// Returns one credential after the other, and records its calls.
    private final class Credentials: RequestAuthorizer {
        struct State: Sendable {
            var values: [String]
            var asked: [String] = []
            var refused: [String?] = []
            var challenges: [[String]] = []
        }

        let state: Watched<State>

        init(_ values: String...) {
            self.state = Watched(State(values: values))
        }

        var credentialScope: CredentialScope { .account("me") }

        func authorization(method: String, url: OriginURL) async throws -> String? {
            self.state.update { state in
                state.asked.append("\(method) \(url.display)")
                return state.values.first
            }
        }

        func refused(_ authorization: String?, challenges: [String]) async throws -> Bool {
            self.state.update { state in
                state.refused.append(authorization)
                state.challenges.append(challenges)
                if state.values.count > 1 { state.values.removeFirst() }
                return state.values.first != authorization
            }
        }
    }

    private let clock = ManualClock()

    private func client(
        _ transport: ScriptedTransport,
        timeouts: HTTPOrigin.Timeouts = HTTPOrigin.Timeouts(),
        log: EventLog? = nil
    ) -> ServiceClient {
        ServiceClient(
            transport: transport,
            timeouts: timeouts,
            retry: RetryPolicy(jitter: { 0.5 }),
            userAgent: "Test/1",
            clock: self.clock,
            observer: log?.observer
        )
    }

    private func request(
        _ method: String = "GET",
        _ url: String = "https://api.test/v1?x=1",
        isRepeatable: Bool = true
    ) throws -> ServiceRequest {
        ServiceRequest(
            method: method,
            url: try OriginURL(url),
            headers: HTTPHeaderList([
                try HTTPHeader(name: "Depth", value: "1"),
                try HTTPHeader(name: "Content-Type", value: "application/xml"),
                try HTTPHeader(name: "X-Secret", value: "s3cret"),
            ]),
            body: method == "GET" ? [] : Array("<question/>".utf8),
            isRepeatable: isRepeatable,
            subject: "cloud:/a.mp3"
        )
    }

    @Test("sends method, body, fields and credential, and returns the whole response")
    func sends() async throws {
        let transport = ScriptedTransport(
            .answer(
                207,
                [("Date", "Wed, 10 Jul 2024 16:02:35 GMT")],
                [.bytes([1, 2]), .bytes([3])],
                isEndProven: true
            )
        )
        let log = EventLog()
        let answer = try await self.client(transport, log: log).send(
            self.request("PROPFIND"),
            authorizer: Credentials("OAuth t")
        )
        // The client counts a listing's bytes; the listing is not a request without bytes.
        #expect(log.receivedBytes.value == 3)
        #expect(answer.status == 207 && answer.isSuccess && answer.body == [1, 2, 3])
        #expect(answer.seconds == 1_720_627_355)
        let asked = try #require(transport.requests.first)
        #expect(asked.method == "PROPFIND" && asked.body == Array("<question/>".utf8))
        #expect(asked.headers["Authorization"] == "OAuth t")
        #expect(asked.headers["User-Agent"] == "Test/1")
        #expect(asked.headers["Accept-Encoding"] == "identity")
        #expect(asked.headers["Accept"] == "*/*" && asked.headers["Depth"] == "1")
    }

    @Test(
        "repeats the request after a temporary status",
        arguments: [408, 423, 425, 429, 500, 502, 503, 504, 509]
    )
    func repeats(_ status: Int) async throws {
        let transport = ScriptedTransport(.answer(status), .answer(status), .answer(200))
        async let answer = self.client(transport).send(self.request())
        try await self.clock.pass([.milliseconds(250), .milliseconds(500)])
        #expect(try await answer.status == 200)
        #expect(transport.requests.count == 3)
    }

    @Test("waits as long as Retry-After says, and not at all if that is too long")
    func obeysRetryAfter() async throws {
        let soon = ScriptedTransport(.answer(429, [("Retry-After", "7")]), .answer(200))
        async let answer = self.client(soon).send(self.request())
        try await self.clock.pass(.seconds(7))
        #expect(try await answer.status == 200)
        let late = ScriptedTransport(.answer(503, [("Retry-After", "3600")]))
        #expect(try await self.client(late).send(self.request()).status == 503)
        #expect(late.requests.count == 1)
    }

    @Test("returns the last response if the error lasts")
    func givesUp() async throws {
        let transport = ScriptedTransport(.answer(500, [], [9]))
        async let answer = self.client(transport).send(self.request())
        try await self.clock.pass([
            .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4),
        ])
        #expect(try await answer.status == 500)
        #expect(transport.requests.count == 6)
    }

    @Test(
        "does not repeat a request after a status that its caller calls final",
        arguments: [423, 429, 503]
    )
    func knowsFinal(_ status: Int) async throws {
        let transport = ScriptedTransport(.answer(status, [], Array("limit".utf8)))
        let answer = try await self.client(transport).send(
            self.request(),
            isFinal: { $0.body == Array("limit".utf8) }
        )
        #expect(answer.status == status && transport.requests.count == 1)
    }

    @Test(
        "does not repeat a request that the server may have received",
        arguments: [
            .answer(500), .answer(502), .answer(504), .answer(408),
            .fail(HTTPTransportError(.connectionLost, "reset")),
            .answer(
                200,
                [],
                [.fail(HTTPTransportError(.connectionLost, "reset"))],
                isEndProven: true
            ),
            .answer(307, [("Location", "/other")]),
        ] as [ScriptedTransport.Reply]
    )
    func sendsOnce(_ reply: ScriptedTransport.Reply) async throws {
        let transport = ScriptedTransport(reply)
        _ = try? await self.client(transport).send(self.request("POST", isRepeatable: false))
        #expect(transport.requests.count == 1)
    }

    @Test(
        "repeats a request that was not received or was turned away",
        arguments: [
            .answer(429), .answer(503), .fail(HTTPTransportError(.unreachable, "refused")),
        ] as [ScriptedTransport.Reply]
    )
    func sendsAgain(_ reply: ScriptedTransport.Reply) async throws {
        let transport = ScriptedTransport(reply, .answer(200))
        async let answer = self.client(transport).send(self.request("POST", isRepeatable: false))
        try await self.clock.pass(.milliseconds(250))
        #expect(try await answer.status == 200)
        #expect(transport.requests.map(\.body.count) == [11, 11])
    }

    @Test("keeps method, body and credential over a redirect within the origin")
    func redirects() async throws {
        for status in [301, 302, 303, 307, 308] {
            let transport = ScriptedTransport(
                .answer(status, [("Location", "/v1/?x=2")]),
                .answer(207)
            )
            let credentials = Credentials("OAuth t")
            let answer = try await self.client(transport).send(
                self.request("PROPFIND"),
                authorizer: credentials
            )
            #expect(answer.status == 207 && answer.url.path == "/v1/")
            let second = transport.requests[1]
            #expect(second.method == "PROPFIND" && second.body.count == 11)
            #expect(
                second.headers["Authorization"] == "OAuth t" && second.headers["X-Secret"] != nil
            )
            #expect(
                credentials.state.value.asked == [
                    "PROPFIND https://api.test/v1", "PROPFIND https://api.test/v1/",
                ]
            )
        }
    }

    @Test(
        "drops its credential on the way to another origin, and does not send it again"
    )
    func dropsCredentials() async throws {
        let transport = ScriptedTransport(
            .answer(302, [("Location", "https://other.test/a")]),
            .answer(302, [("Location", "https://api.test/b")]),
            .answer(401, [("WWW-Authenticate", "Basic realm=\"r\"")])
        )
        let credentials = Credentials("OAuth t", "OAuth u")
        let answer = try await self.client(transport).send(
            self.request("PROPFIND"),
            authorizer: credentials
        )
        #expect(answer.status == 401 && transport.requests.count == 3)
        for asked in transport.requests.dropFirst() {
            #expect(asked.headers["Authorization"] == nil && asked.headers["X-Secret"] == nil)
            #expect(asked.method == "PROPFIND" && asked.headers["Depth"] == "1")
        }
        #expect(credentials.state.value.refused.isEmpty)
    }

    @Test("never goes from https to http, and ends a circle")
    func refusesDowngrade() async throws {
        let insecure = ScriptedTransport(.answer(302, [("Location", "http://api.test/?t=s3cret")]))
        let error = await sourceError { _ = try await self.client(insecure).send(self.request()) }
        #expect(error?.code == .insecure && error?.message.contains("s3cret") == false)
        #expect(insecure.requests.count == 1)
        let circle = ScriptedTransport(.answer(302, [("Location", "/v1?x=1")]))
        let endless = await sourceError { _ = try await self.client(circle).send(self.request()) }
        #expect(endless?.code == .badAnswer && circle.requests.count <= 2)
        let nowhere = ScriptedTransport(.answer(302))
        let lost = await sourceError { _ = try await self.client(nowhere).send(self.request()) }
        #expect(lost?.code == .badAnswer)
    }

    @Test("counts redirects again for each repetition, which starts from the first address")
    func redirectsAgain() async throws {
        let transport = ScriptedTransport { request, index in
            if request.url.path == "/v1" { return .answer(302, [("Location", "/v2")]) }
            return index < 11 ? .answer(503) : .answer(200)
        }
        async let answer = self.client(transport).send(self.request())
        try await self.clock.pass([
            .milliseconds(250), .milliseconds(500), .seconds(1), .seconds(2), .seconds(4),
        ])
        #expect(try await answer.status == 200)
        #expect(transport.requests.count == 12)
    }

    @Test("gets one other credential after 401, and tries once more with it")
    func renewsCredential() async throws {
        let transport = ScriptedTransport(
            .answer(401, [("WWW-Authenticate", "A"), ("WWW-Authenticate", "B")]),
            .answer(200)
        )
        let credentials = Credentials("OAuth 1", "OAuth 2", "OAuth 3")
        let client = self.client(transport)
        #expect(try await client.send(self.request(), authorizer: credentials).status == 200)
        #expect(credentials.state.value.challenges == [["A", "B"]])
        #expect(credentials.state.value.refused == ["OAuth 1"])
        let asked = transport.requests.map { $0.headers["Authorization"] }
        #expect(asked == ["OAuth 1", "OAuth 2"])
        let stubborn = ScriptedTransport(.answer(401))
        let answer = try await self.client(stubborn).send(
            self.request(),
            authorizer: Credentials("a", "b", "c", "d")
        )
        #expect(answer.status == 401 && stubborn.requests.count == 2)
        let last = ScriptedTransport(.answer(401))
        _ = try await self.client(last).send(self.request(), authorizer: Credentials("a"))
        #expect(last.requests.count == 1)
    }

    @Test("sends no line end of a credential")
    func refusesLineEnds() async throws {
        let transport = ScriptedTransport(.answer(200))
        let error = await sourceError {
            _ = try await self.client(transport).send(
                self.request(),
                authorizer: Credentials("OAuth s3cret\r\nX: y")
            )
        }
        #expect(error?.code == .invalidRequest && error?.message.contains("s3cret") == false)
        #expect(transport.requests.isEmpty)
    }

    @Test("does not read more of a body than its limit")
    func refusesOversize() async throws {
        let piece = [UInt8](repeating: 0, count: 1 << 20)
        let transport = ScriptedTransport(
            .answer(
                200,
                [],
                Array(repeating: .bytes(piece), count: 40),
                isEndProven: true
            )
        )
        let error = await sourceError { _ = try await self.client(transport).send(self.request()) }
        #expect(error?.code == .badAnswer && error?.message.contains("32 MiB") == true)
        let body = try #require(transport.bodies.first?.state.value)
        #expect(body.isCancelled && body.handedOut == 33 << 20)
    }

    @Test("repeats the request when a body breaks off")
    func repeatsBrokenBody() async throws {
        let broken = HTTPTransportError(.connectionLost, "reset")
        let transport = ScriptedTransport(
            .answer(200, [], [.bytes([1]), .fail(broken)], isEndProven: true),
            .answer(200, [], [1, 2])
        )
        let log = EventLog()
        async let answer = self.client(transport, log: log).send(self.request())
        try await self.clock.pass(.milliseconds(250))
        #expect(try await answer.body == [1, 2])
        #expect(log.lines.value.contains("retrying 0 (2 of 6) after 0.25 seconds: reset"))
    }

    @Test("limits the wait for a connection, a response and a body")
    func hasLimits() async throws {
        let long = Duration.seconds(60)
        let cases: [(ScriptedTransport.Reply, HTTPOrigin.Timeouts, Duration)] = [
            (.noConnection, .init(connect: .seconds(3), firstByte: long), .seconds(3)),
            (.noAnswer, .init(connect: long, firstByte: .seconds(5)), .seconds(5)),
            (
                .answer(200, [], [.stall], isEndProven: true),
                .init(connect: long, firstByte: long, idle: .seconds(7)), .seconds(7)
            ),
        ]
        for (reply, timeouts, limit) in cases {
            let transport = ScriptedTransport(reply)
            let client = ServiceClient(
                transport: transport,
                timeouts: timeouts,
                retry: .never,
                clock: self.clock
            )
            let request = try self.request()
            async let error = sourceError { _ = try await client.send(request) }
            if case .noConnection = reply {
            } else {
                try await transport.state.wait { $0.sentCount == 1 }
            }
            try await self.clock.pass(limit)
            #expect(await error?.code == .timedOut)
        }
    }

    @Test("ends at once when it is cancelled, in a request and in a pause")
    func leaves() async throws {
        let waiting = ScriptedTransport(.noAnswer)
        let client = self.client(waiting)
        let request = try self.request()
        let first = Task { try await client.send(request) }
        try await waiting.state.wait { $0.requests.count == 1 }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        let busy = self.client(ScriptedTransport(.answer(503)))
        let second = Task { try await busy.send(request) }
        while self.clock.remainingSleeps.first != .milliseconds(250) { await Task.yield() }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
    }

    @Test("reports errors without query and credential")
    func saysWhatHappened() async throws {
        let client = ServiceClient(
            transport: ScriptedTransport(.fail(HTTPTransportError(.unreachable, "refused"))),
            retry: .never
        )
        let request = try self.request("GET", "https://me:s3cret@api.test/v1?t=s3cret")
        let error = await sourceError { _ = try await client.send(request) }
        #expect(error?.code == .unreachable && error?.host == "api.test")
        #expect(error?.message.contains("s3cret") == false)
    }
}
