// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirProxy

@Suite("Which requests are for pages")
struct PageAdmissionTests {
    private static let secret = "0123456789abcdef0123456789abcdef"
    private let rules = Self.rules(servesPage: true)

    private static func rules(servesPage: Bool) -> AccessRules {
        AccessRules(
            secret: ProxySecret(Self.secret),
            allowedHosts: ["media.example"],
            allowedCrossOrigins: [],
            servesPage: servesPage
        )
    }

    private func request(
        _ target: String,
        _ method: RequestHead.Method = .get,
        host: String = "127.0.0.1:4747"
    ) -> RequestHead {
        var request = RequestHead(target: target)
        request.method = method
        request.host = .one(host)
        return request
    }

    @Test(
        "a target below /page is passed on unchanged, and needs no secret of the media",
        arguments: [
            "", "/", "/state", "/actions/pin?resource=1", "//", "/é", "/?",
        ]
    )
    func target(rest: String) {
        for start in ["", "http://media.example:1"] {
            #expect(
                self.rules.admit(self.request("\(start)/page\(rest)").address)
                    == .page(target: rest)
            )
        }
    }

    @Test(
        "a target that only resembles a page's is not for a page",
        arguments: [
            "/pages", "/page?x", "/Page/", "/pag", "//page/", "/%70age/", "/page%2F",
            "/x/page/", "/page\u{301}/",
        ]
    )
    func others(target: String) {
        #expect(self.rules.admit(self.request(target).address) == .answered(.notFound))
        let inside = self.request("/\(Self.secret)\(target)")
        #expect(self.rules.admit(inside.address) == .admitted(target: target))
    }

    @Test("below the secret, /page is a path of the media")
    func behindSecret() {
        let inside = self.request("/\(Self.secret)/page/state")
        #expect(self.rules.admit(inside.address) == .admitted(target: "/page/state"))
    }

    @Test("without a page service there is no page")
    func noService() {
        let rules = Self.rules(servesPage: false)
        for target in ["/page", "/page/", "/page/state"] {
            #expect(rules.admit(self.request(target).address) == .answered(.notFound))
        }
        let open = AccessRules(secret: nil, allowedHosts: [], allowedCrossOrigins: [])
        #expect(open.admit(self.request("/page/").address) == .admitted(target: "/page/"))
    }

    @Test("a name that is not this machine's is refused before it reaches a page")
    func host() {
        #expect(
            self.rules.admit(self.request("/page/", host: "evil.example").address)
                == .answered(.misdirected)
        )
        #expect(
            self.rules.admit(self.request("http://evil.example/page/").address)
                == .answered(.misdirected)
        )
        var twice = self.request("/page/")
        twice.host = .several
        #expect(self.rules.admit(twice.address) == .answered(.severalHosts))
        twice.host = .missing
        #expect(self.rules.admit(twice.address) == .answered(.missingHost))
    }

    @Test("OPTIONS is refused; POST reaches only pages")
    func methods() {
        #expect(
            self.rules.admit(self.request("/page/state", .options).address)
                == .answered(.methodNotAllowed)
        )
        #expect(
            self.rules.admit(self.request("/page/actions/pin", .other("POST")).address)
                == .page(target: "/actions/pin")
        )
        for target in ["/\(Self.secret)/a", "/healthz", "/pages", "/"] {
            #expect(
                self.rules.admit(self.request(target, .other("POST")).address)
                    == .answered(.methodNotAllowed)
            )
        }
    }
}
