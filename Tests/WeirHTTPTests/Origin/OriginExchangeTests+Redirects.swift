// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirHTTP

extension OriginExchangeTests {
    @Test("never goes from https to http, and from http to https without credentials")
    func keepsTLS() throws {
        var exchange = try self.exchange()
        guard
            case .refuse(let error) = exchange.answered(
                self.redirect("http://h/a.mp3?x=s3cret"),
                jitter: 0.5
            )
        else {
            Issue.record("followed")
            return
        }
        #expect(error.code == .insecure && !error.message.contains("s3cret"))
        var upgrade = try self.exchange("http://h/a.mp3")
        _ = upgrade.answered(self.redirect("https://h/a.mp3"), jitter: 0.5)
        #expect(!self.names(upgrade).contains("Authorization"))
    }

    @Test("ends a chain of redirects at its limit, with its first and its last address")
    func endsChain() throws {
        var exchange = try self.exchange()
        for number in 0..<3 {
            let redirect = self.redirect("/\(number).mp3")
            guard case .follow = exchange.answered(redirect, jitter: 0.5) else {
                Issue.record("not followed")
                return
            }
        }
        let last = self.redirect("https://other/4.mp3?t=s3cret")
        guard case .refuse(let error) = exchange.answered(last, jitter: 0.5) else {
            Issue.record("followed")
            return
        }
        #expect(error.code == .badAnswer && error.cause is EndlessRedirects)
        #expect(
            error.message.hasPrefix(
                "https://h/a.mp3 redirects more than 3 times, at last to https://other/…;"
            )
        )
    }

    @Test("follows twenty redirects by default")
    func twenty() {
        #expect(HTTPOrigin.Options().maximumRedirects == 20)
    }

    @Test("ends a circle of redirects where it closes")
    func endsCircle() throws {
        var exchange = try self.exchange()
        for location in ["/b.mp3", "/c.mp3"] {
            guard case .follow = exchange.answered(self.redirect(location), jitter: 0.5) else {
                Issue.record("not followed")
                return
            }
        }
        guard case .refuse(let error) = exchange.answered(self.redirect("/b.mp3"), jitter: 0.5)
        else {
            Issue.record("followed")
            return
        }
        #expect(error.code == .badAnswer && error.cause is EndlessRedirects)
        #expect(error.message.contains("redirects in a circle"))
    }

    @Test("a page that sets a cookie and redirects to itself is not a circle")
    func cookieWall() throws {
        var exchange = try self.exchange()
        let wall = AnswerHead(
            status: 302,
            headers: HTTPHeaderList(
                received: [("Location", "/a.mp3?token=s3cret"), ("Set-Cookie", "seen=1; Path=/")]
            )
        )
        exchange.setCookies(wall.headers, at: .zero)
        guard case .follow = exchange.answered(wall, jitter: 0.5) else {
            Issue.record("not followed")
            return
        }
        exchange.setCookies(wall.headers, at: .zero)
        guard case .refuse = exchange.answered(wall, jitter: 0.5) else {
            Issue.record("followed")
            return
        }
    }
}
