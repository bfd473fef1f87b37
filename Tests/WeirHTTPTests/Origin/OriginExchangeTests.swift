// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirHTTP

@Suite("A request to an origin")
struct OriginExchangeTests {
    static let good = AnswerHead(
        status: 206,
        headers: HTTPHeaderList(received: [("Content-Range", "bytes 5-99/100"), ("ETag", "\"v\"")])
    )
    private static let version = ReadDemand.Version(validator: .entityTag("\"v\""), length: 100)

    func exchange(
        _ url: String = "https://h/a.mp3?token=s3cret",
        version: ReadDemand.Version? = nil,
        shortcut: OriginExchange.Target? = nil,
        rulesOnRefusals: Bool = false
    ) throws -> OriginExchange {
        let address = try OriginURL(url)
        var exchange = OriginExchange(
            check: AnswerCheck(resource: ResourceName(address), range: .from(5), version: version),
            userAgent: "Player/1",
            rulesOnRefusals: rulesOnRefusals,
            maximumRedirects: 3,
            capabilities: OriginCapabilities(),
            shortcut: shortcut.map { (from: address, target: $0) },
            retry: RetryMachine(RetryPolicy())
        )
        try exchange.located(self.location(url))
        return exchange
    }

    /// An address with the headers that the user gave for it.
    func location(
        _ url: String = "https://h/a.mp3?token=s3cret",
        headers: [String] = [
            "Authorization: OAuth s3cret", "Cookie: s3cret", "X-Key: s3cret",
            "User-Agent: Player/1",
        ]
    ) throws -> OriginLocation {
        let list = HTTPHeaderList(try headers.map { try HTTPHeader(parsing: $0) })
        return FixedLocator(try OriginURL(url), headers: list).location(for: .whole, after: nil)
    }

    func redirect(_ location: String, _ status: Int = 302) -> AnswerHead {
        AnswerHead(status: status, headers: HTTPHeaderList(received: [("Location", location)]))
    }

    func names(_ exchange: OriginExchange) -> [String] {
        exchange.requestHeaders.headers.map(\.name)
    }

    @Test("sends the user's headers, the range and the condition")
    func sendsHeaders() throws {
        let headers = try self.exchange(version: Self.version).requestHeaders
        #expect(headers["Authorization"] == "OAuth s3cret")
        #expect(headers["X-Key"] == "s3cret")
        #expect(headers["User-Agent"] == "Player/1")
        #expect(headers["Accept-Encoding"] == "identity")
        #expect(headers["Range"] == "bytes=5-")
        #expect(headers["If-Range"] == "\"v\"")
        #expect(try self.exchange().requestHeaders["If-Range"] == nil)
    }

    @Test("sends the address's user as Authorization, unless the given headers have one")
    func sendsUser() throws {
        var exchange = OriginExchange(
            check: AnswerCheck(
                resource: ResourceName(try OriginURL("https://me:pass@h/a")),
                range: .whole,
                version: nil
            ),
            maximumRedirects: 3,
            capabilities: OriginCapabilities(),
            shortcut: nil,
            retry: RetryMachine(RetryPolicy())
        )
        try exchange.located(self.location("https://me:pass@h/a", headers: []))
        #expect(exchange.requestHeaders["Authorization"] == "Basic bWU6cGFzcw==")
        #expect(exchange.requestHeaders["User-Agent"] == HTTPOrigin.userAgent)
        #expect(
            try self.exchange("https://me:pass@h/a").requestHeaders.values(of: "Authorization")
                == ["OAuth s3cret"]
        )
    }

    @Test(
        "keeps credentials only within scheme, host and port",
        arguments: [
            ("/b", true), ("https://h:443/b", true), ("https://H/b", true), ("//h/b", true),
            ("https://h:444/b", false), ("https://www.h/b", false), ("https://other/b", false),
            ("https://u:p@other/b", false),
        ]
    )
    func carriesCredentials(_ location: String, _ isTrusted: Bool) throws {
        for status in [301, 302, 303, 307, 308] {
            var exchange = try self.exchange(version: Self.version)
            guard
                case .follow(let from, _) = exchange.answered(
                    self.redirect(location, status),
                    jitter: 0.5
                )
            else {
                Issue.record("not followed")
                return
            }
            #expect(from == "https://h/a.mp3")
            let names = self.names(exchange)
            for name in ["Authorization", "Cookie", "X-Key"] {
                #expect(names.contains(name) == isTrusted)
            }
            #expect(exchange.requestHeaders["User-Agent"] == "Player/1")
            #expect(exchange.requestHeaders["Range"] == "bytes=5-")
            #expect(exchange.requestHeaders["If-Range"] == "\"v\"")
            #expect(exchange.target?.url.userInfo == nil)
        }
    }

    @Test("does not send credentials again in a chain that has left the origin and returns")
    func doesNotTrustReturn() throws {
        var exchange = try self.exchange()
        _ = exchange.answered(self.redirect("https://other/b"), jitter: 0.5)
        _ = exchange.answered(self.redirect("https://h/c"), jitter: 0.5)
        #expect(exchange.target?.url.display == "https://h/c")
        #expect(!self.names(exchange).contains("Authorization"))
    }

    @Test("goes to the origin itself when a remembered target responds with an error")
    func leavesShortcut() throws {
        let shortcut = OriginExchange.Target(url: try OriginURL("https://cdn/x"), isTrusted: false)
        let heads = [401, 403, 404, 410, 416, 429, 500, 503, 200].map {
            AnswerHead(status: $0, headers: HTTPHeaderList())
        }
        for head in heads {
            var exchange = try self.exchange(version: Self.version, shortcut: shortcut)
            #expect(exchange.target == shortcut)
            #expect(!self.names(exchange).contains("Authorization"))
            guard case .send(after: .zero, because: nil) = exchange.answered(head, jitter: 0.5)
            else {
                Issue.record("not asked again after \(head.status)")
                return
            }
            #expect(exchange.isShortcutDead)
            try exchange.located(self.location())
            #expect(exchange.target?.url.display == "https://h/a.mp3")
            #expect(self.names(exchange).contains("Authorization"))
            guard case .open = exchange.answered(Self.good, jitter: 0.5) else {
                Issue.record("not opened")
                return
            }
        }
        var unreachable = try self.exchange(version: Self.version, shortcut: shortcut)
        guard
            case .send(after: .zero, because: nil) = unreachable.failed(
                HTTPTransportError(.unreachable, "refused"),
                jitter: 0.5
            )
        else {
            Issue.record("not asked again")
            return
        }
        var good = try self.exchange(version: Self.version, shortcut: shortcut)
        guard case .open = good.answered(Self.good, jitter: 0.5) else {
            Issue.record("not opened")
            return
        }
    }

    @Test("tries again after a temporary error, and goes to the origin itself then")
    func triesAgain() throws {
        var exchange = try self.exchange()
        _ = exchange.answered(self.redirect("https://cdn/x"), jitter: 0.5)
        let busy = AnswerHead(
            status: 503,
            headers: HTTPHeaderList(received: [("Retry-After", "3")])
        )
        guard
            case .send(after: .seconds(3), because: "status 503") = exchange.answered(
                busy,
                jitter: 0.5
            )
        else {
            Issue.record("not tried again")
            return
        }
        #expect(exchange.target == nil)
        try exchange.located(self.location())
        #expect(exchange.target?.url.display == "https://h/a.mp3")
        #expect(self.names(exchange).contains("Authorization"))
    }

    @Test(
        "reports the last status after its retries",
        arguments: [
            (503, .originFailed), (429, .throttled), (408, .timedOut), (425, .originFailed),
        ]
            as [(Int, SourceError.Code)]
    )
    func saysWhatItWas(_ status: Int, _ code: SourceError.Code) throws {
        var exchange = try self.exchange()
        let head = AnswerHead(status: status, headers: HTTPHeaderList())
        for _ in 0..<5 {
            guard case .send = exchange.answered(head, jitter: 0.5) else {
                Issue.record("not tried again")
                return
            }
        }
        guard case .refuse(let error) = exchange.answered(head, jitter: 0.5) else {
            Issue.record("tried again")
            return
        }
        #expect(error.code == code && error.status == status && error.host == "h")
        #expect(!error.message.contains("s3cret"))
    }

    @Test("refuses a wait that is too long")
    func refusesLongWait() throws {
        var exchange = try self.exchange()
        let head = AnswerHead(
            status: 429,
            headers: HTTPHeaderList(received: [("Retry-After", "3600")])
        )
        guard case .refuse(let error) = exchange.answered(head, jitter: 0.5) else {
            Issue.record("waits")
            return
        }
        #expect(error.code == .throttled)
        #expect(error.message.contains("3600 seconds"))
    }

    @Test(
        "ends at once after a lasting error",
        arguments: [
            (.insecure, .insecure), (.malformed, .badAnswer), (.proxyRefused, .unauthorized),
            (.closed, .closed),
        ] as [(HTTPTransportError.Code, SourceError.Code)]
    )
    func endsAtOnce(_ code: HTTPTransportError.Code, _ expected: SourceError.Code) throws {
        var exchange = try self.exchange()
        guard
            case .refuse(let error) = exchange.failed(
                HTTPTransportError(code, "so it is"),
                jitter: 0.5
            )
        else {
            Issue.record("tried again")
            return
        }
        #expect(error.code == expected)
        #expect(error.message.contains("so it is") || code == .closed)
        #expect(error.cause is HTTPTransportError)
    }

    @Test("omits the range after a 416 for a range of the first bytes")
    func asksWithoutRange() throws {
        var exchange = OriginExchange(
            check: AnswerCheck(
                resource: ResourceName(try OriginURL("https://h/a")),
                range: .span(0..<2),
                version: nil
            ),
            maximumRedirects: 3,
            capabilities: OriginCapabilities(),
            shortcut: nil,
            retry: RetryMachine(RetryPolicy())
        )
        try exchange.located(self.location("https://h/a", headers: []))
        let refusal = AnswerHead(status: 416, headers: HTTPHeaderList())
        guard case .send(after: .zero, because: nil) = exchange.answered(refusal, jitter: 0.5)
        else {
            Issue.record("not asked")
            return
        }
        #expect(exchange.requestHeaders["Range"] == nil)
        guard case .refuse(let error) = exchange.answered(refusal, jitter: 0.5) else {
            Issue.record("asked again")
            return
        }
        #expect(error.code == .rangeNotSatisfiable)
    }

    @Test("omits the condition when the origin does not recognise its own tag in quotes")
    func asksWithoutCondition() throws {
        var exchange = try self.exchange(version: Self.version)
        let head = AnswerHead(
            status: 200,
            headers: HTTPHeaderList(received: [("ETag", "v"), ("Content-Length", "100")])
        )
        guard case .send(after: .zero, because: nil) = exchange.answered(head, jitter: 0.5) else {
            Issue.record("not asked")
            return
        }
        #expect(exchange.requestHeaders["If-Range"] == nil)
        #expect(exchange.requestHeaders["Range"] == "bytes=5-")
        #expect(exchange.capabilities.sendsBareTags)
        guard case .open(let answer) = exchange.answered(head, jitter: 0.5) else {
            Issue.record("not opened")
            return
        }
        #expect(answer.bodyLowerBound == 0 && answer.lowerBound == 5)
    }

    private static let gone = AnswerHead(status: 410, headers: HTTPHeaderList())

    @Test("uses another location when the first has expired, and gives up after the third")
    func relocates() throws {
        var exchange = try self.exchange(rulesOnRefusals: true)
        for _ in 0..<2 {
            guard case .consult(let head) = exchange.answered(Self.gone, jitter: 0.5) else {
                Issue.record("the locator is not asked")
                return
            }
            #expect(head.status == 410)
            guard
                case .locate = exchange.ruled(
                    .locateAnew(otherwise: SourceError(.notFound, "No other.")),
                    jitter: 0.5
                )
            else {
                Issue.record("no other location")
                return
            }
            #expect(exchange.target == nil)
            try exchange.located(self.location())
        }
        _ = exchange.answered(Self.gone, jitter: 0.5)
        guard
            case .refuse(let error) = exchange.ruled(
                .locateAnew(otherwise: SourceError(.notFound, "No other.")),
                jitter: 0.5
            )
        else {
            Issue.record("asks for ever")
            return
        }
        #expect(error.code == .notFound && exchange.refusals == 3)
    }

    @Test("gives up where the locator says so, and waits where it says so")
    func obeysRulings() throws {
        var exchange = try self.exchange(rulesOnRefusals: true)
        _ = exchange.answered(Self.gone, jitter: 0.5)
        guard
            case .send(after: .seconds(7), because: "status 410") = exchange.ruled(
                .transient(after: .seconds(7)),
                jitter: 0.5
            )
        else {
            Issue.record("does not wait")
            return
        }
        try exchange.located(self.location())
        _ = exchange.answered(Self.gone, jitter: 0.5)
        let final = SourceError(.throttled, "No more today.")
        guard case .refuse(let error) = exchange.ruled(.refused(final), jitter: 0.5) else {
            Issue.record("not final")
            return
        }
        #expect(error.message == "No more today.")
    }

    @Test("uses the service's description of a location, and no other generation's bytes")
    func takesTheServicesWord() throws {
        let revision = Validator.revision("md5:00112233445566778899aabbccddeeff")
        var location = try self.location()
        location.resource = ResourceDescription(
            length: 100,
            mediaType: .mpegAudio,
            validator: revision
        )
        location.entityTag = "00112233445566778899aabbccddeeff"
        var exchange = try self.exchange(
            version: ReadDemand.Version(validator: revision, length: 100)
        )
        try exchange.located(location)
        guard case .open(let answer) = exchange.answered(Self.good, jitter: 0.5) else {
            Issue.record("not opened")
            return
        }
        #expect(
            answer.description.validator == revision && answer.description.mediaType == .mpegAudio
        )

        var other = Self.good
        other.headers.remove("ETag")
        other.headers.append("ETag", "ffffffffffffffffffffffffffffffff")
        guard case .refuse(let tagError) = exchange.answered(other, jitter: 0.5) else {
            Issue.record("takes the bytes of another tag")
            return
        }
        #expect(tagError.code == .changed)

        let longer = AnswerHead(
            status: 206,
            headers: HTTPHeaderList(received: [("Content-Range", "bytes 5-100/101")])
        )
        var unpinned = try self.exchange()
        try unpinned.located(location)
        guard case .refuse(let lengthError) = unpinned.answered(longer, jitter: 0.5) else {
            Issue.record("takes the bytes of another length")
            return
        }
        #expect(lengthError.code == .changed)

        location.resource?.validator = .revision("md5:ffffffffffffffffffffffffffffffff")
        let error = #expect(throws: SourceError.self) { try exchange.located(location) }
        #expect(error?.code == .changed)
    }
}
