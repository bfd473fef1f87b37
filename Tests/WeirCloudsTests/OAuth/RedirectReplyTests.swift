// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirClouds

@Suite("The reply of a log-in's listener")
struct RedirectReplyTests {
    private func reply(
        _ target: String,
        method: String = "GET",
        hosts: [String] = ["127.0.0.1:4748"]
    ) -> RedirectReply {
        RedirectReply(method: method, target: target, hosts: hosts, path: "/back", state: "s")
    }

    @Test("a code with the right state ends the log-in")
    func done() throws {
        let reply = self.reply("/back?code=c&state=s")
        #expect(reply.status == 200)
        #expect(reply.page == .done)
        #expect(try reply.outcome?.get().code == "c")
    }

    @Test("a refusal with the right state ends the log-in, and other requests do not")
    func refused() {
        let reply = self.reply("/back?error=access_denied&state=s")
        #expect(reply.status == 200)
        #expect(reply.page == .refused)
        #expect(throws: AuthorizationAnswer.Failure.self) { try reply.outcome?.get() }
        for target in ["/back", "/back?", "/back?code=c", "/back?code=c&state=t"] {
            let reply = self.reply(target)
            #expect(reply.status == 400)
            #expect(reply.outcome == nil)
        }
    }

    @Test("other addresses and methods are refused")
    func others() {
        for target in [
            "/favicon.ico", "/", "/backwards?code=c&state=s", "/back/?code=c&state=s", "",
        ] {
            #expect(self.reply(target).status == 404)
            #expect(self.reply(target).outcome == nil)
        }
        for method in ["POST", "HEAD", "OPTIONS", "get"] {
            let reply = self.reply("/back?code=c&state=s", method: method)
            #expect(reply.status == 405)
            #expect(reply.outcome == nil)
        }
    }

    @Test("only requests that name this computer are answered")
    func hosts() {
        for host in ["127.0.0.1", "localhost:80", "LocalHost", "[::1]:9", "127.0.0.1:"] {
            #expect(self.reply("/back?code=c&state=s", hosts: [host]).status == 200, "\(host)")
        }
        for hosts in [
            [], ["evil.example"], ["127.0.0.1.evil.example"], ["localhost:80:80"], ["127.0.0.1@x"],
            ["localhost", "localhost"], ["127.0.0.2"], [""],
        ] {
            let reply = self.reply("/back?code=c&state=s", hosts: hosts)
            #expect(reply.status == 403)
            #expect(reply.outcome == nil)
        }
    }
}
