// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1
import Testing

@testable import WeirProxy

@Suite("Which requests are admitted")
struct AccessRulesTests {
    private static let secret = "0123456789abcdef0123456789abcdef"
    private let rules = AccessRules(
        secret: ProxySecret(Self.secret),
        allowedHosts: ["Media.example", "[fe80::1]"],
        allowedCrossOrigins: ["https://Site.example/"]
    )

    private func request(_ target: String, host: String? = "127.0.0.1:4747") -> RequestHead {
        var request = RequestHead(target: target)
        if let host { request.host = .one(host) }
        return request
    }

    @Test(
        "behind the secret the target stays unchanged",
        arguments: [
            "/origin/a%20b/c.mp3?x=1&y=%2F", "/", "//", "/?q", "/a/...", "/a/..b", "/?/../b",
            "/healthz", "/#", "/%00",
        ]
    )
    func target(rest: String) {
        #expect(
            self.rules.admit(self.request("/" + Self.secret + rest).address)
                == .admitted(target: rest)
        )
        #expect(
            self.rules.admit(self.request("http://LOCALHOST:1/" + Self.secret + rest).address)
                == .admitted(target: rest)
        )
    }

    @Test(
        "without the whole secret every target is not found",
        arguments: [
            "/", "/x", "//", "/origin/a.mp3", "/0123456789abcdef0123456789abcde/a",
            "/0123456789abcdef0123456789abcdef0/a", "/0123456789ABCDEF0123456789ABCDEF/a",
            "/0123456789abcdef0123456789abcdef", "/0123456789abcdef0123456789abcdef?/a",
            "/0123456789abcdef0123456789abcdee/a", "/1123456789abcdef0123456789abcdef/a",
            "/healthz/",
            "/healthzz", "/HEALTHZ", "/%30123456789abcdef0123456789abcdef/a",
        ]
    )
    func wrongSecret(target: String) {
        #expect(self.rules.admit(self.request(target).address) == .answered(.notFound))
    }

    @Test("health needs no secret", arguments: ["/healthz", "/healthz?x"])
    func health(target: String) {
        #expect(self.rules.admit(self.request(target).address) == .answered(.healthy))
    }

    @Test("without a secret the target is the whole path")
    func noSecret() {
        let open = AccessRules(secret: nil, allowedHosts: [], allowedCrossOrigins: [])
        #expect(open.admit(self.request("/a/b?c").address) == .admitted(target: "/a/b?c"))
        #expect(open.admit(self.request("/healthz").address) == .answered(.healthy))
    }

    @Test(
        "a target that is not a path is refused",
        arguments: ["", "a", "*", "ftp://127.0.0.1/a", "http://127.0.0.1", "/a\u{FFFD}b"]
    )
    func noPath(target: String) {
        #expect(self.rules.admit(self.request(target).address) == .answered(.unreadableTarget))
    }

    @Test(
        "a segment that some server reads as dots is refused, at any position",
        arguments: [
            "/..", "/.", "/a/../b", "/./a", "/a/%2e%2E/b", "/..%09/secret.mp3", "/..%0a", "/.%0d.",
            "/..%250a", "/%252509%2e.", "/..%20/a", "/..%C2%85/a", "/..%5cb", "/..;/b",
            "/%2e;x/..%23",
        ]
    )
    func dots(path: String) {
        for start in [
            "", "/\(Self.secret)", "/wrong", "/page", "/~key~right", "http://LOCALHOST:1",
        ] {
            #expect(
                self.rules.admit(self.request(start + path).address) == .answered(.dotSegment),
                "\(start)\(path)"
            )
        }
        #expect(
            self.rules.admit(self.request(path, host: "evil.example").address)
                == .answered(.misdirected)
        )
    }

    @Test("targets that look alike are different")
    func alike() {
        let heads = ["/\u{E9}?\u{E9}", "/e\u{301}?\u{E9}"].map {
            RequestHead(HTTPRequestHead(version: .http1_1, method: .GET, uri: $0))
        }
        #expect(heads.map(\.target) == ["/%C3%A9?%C3%A9", "/e%CC%81?%C3%A9"])
        #expect(!heads[0].isAboutTheSame(as: heads[1]))
    }

    @Test(
        "allowed names are admitted",
        arguments: ["media.example", "MEDIA.EXAMPLE:80", "[FE80::1]:4747"]
    )
    func allowedHost(host: String) {
        #expect(
            self.rules.admit(self.request("/healthz", host: host).address) == .answered(.healthy)
        )
    }

    @Test("other names are refused before any other check")
    func otherHosts() {
        #expect(
            self.rules.admit(self.request("/healthz", host: "evil.example").address)
                == .answered(.misdirected)
        )
        #expect(
            self.rules.admit(self.request("http://evil.example/healthz").address)
                == .answered(.misdirected)
        )
        #expect(
            self.rules.admit(self.request("/healthz", host: "a b").address)
                == .answered(.unreadableHost)
        )
        #expect(
            self.rules.admit(self.request("/healthz", host: nil).address) == .answered(.missingHost)
        )
        var twice = self.request("/healthz")
        twice.host = .several
        #expect(self.rules.admit(twice.address) == .answered(.severalHosts))
    }

    @Test("HTTP/1.0 needs no Host field, but refuses a wrong one")
    func oldVersion() {
        var request = self.request("/healthz", host: nil)
        request.isHTTP10 = true
        #expect(self.rules.admit(request.address) == .answered(.healthy))
        request.target = "http://evil.example/healthz"
        #expect(self.rules.admit(request.address) == .answered(.misdirected))
        request.target = "/healthz"
        request.host = .one("evil.example")
        #expect(self.rules.admit(request.address) == .answered(.misdirected))
    }

    @Test("only GET, HEAD and OPTIONS are allowed")
    func methods() {
        var request = self.request("/\(Self.secret)/a")
        request.method = .head
        #expect(self.rules.admit(request.address) == .admitted(target: "/a"))
        request.method = .options
        #expect(self.rules.admit(request.address) == .answered(.options))
        request.method = .other("POST")
        #expect(self.rules.admit(request.address) == .answered(.methodNotAllowed))
        request = self.request("*")
        request.method = .options
        #expect(self.rules.admit(request.address) == .answered(.options))
    }

    @Test(
        "only allowed sites get a grant",
        arguments: [
            ("https://site.example", true), ("HTTPS://SITE.EXAMPLE", true),
            ("http://site.example", false), ("https://site.example:8443", false),
            ("https://site.example.evil.example", false), ("null", false), ("", false),
            ("https://site.example, https://evil.example", false),
        ]
    )
    func origins(origin: String, isGranted: Bool) {
        var request = self.request("/healthz")
        request.origin = origin
        #expect(self.rules.grantedOrigin(for: request) == (isGranted ? origin : nil))
    }
}
