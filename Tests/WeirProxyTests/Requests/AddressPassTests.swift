// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirProxy

@Suite("Addresses that are admitted without the secret")
struct AddressPassTests {
    /// Admits targets below `/good`, and refuses targets below `/bad`.
    private struct Pass: AddressPass {
        var revision: Int { 0 }

        func ruling(on target: Substring) -> AddressRuling? {
            if target.hasPrefix("/good/") { return .admitted(target: String(target.dropFirst(5))) }
            if target.hasPrefix("/bad/") {
                return .refused(target: String(target.dropFirst(4)), reason: "It is bad.")
            }
            return nil
        }
    }

    private static let secret = "0123456789abcdef0123456789abcdef"

    private func admission(
        _ target: String,
        _ method: RequestHead.Method = .get,
        host: String = "127.0.0.1:4747"
    ) -> AccessRules.Admission {
        let rules = AccessRules(
            secret: ProxySecret(Self.secret),
            allowedHosts: [],
            allowedCrossOrigins: [],
            pass: Pass()
        )
        var request = RequestHead(target: target)
        request.host = .one(host)
        request.method = method
        return rules.admit(request.address)
    }

    @Test("are admitted, or refused with the reason, and the secret admits the same as before")
    func rulings() {
        for method in [RequestHead.Method.get, .head] {
            #expect(self.admission("/good/a?b", method) == .admitted(target: "/a?b"))
            #expect(
                self.admission("/bad/a", method) == .refused(target: "/a", reason: "It is bad.")
            )
            #expect(
                self.admission("/\(Self.secret)/good/a", method) == .admitted(target: "/good/a")
            )
            #expect(self.admission("/other/a", method) == .answered(.notFound))
        }
    }

    @Test("accept no other method, and no other host")
    func methods() {
        let other = RequestHead.Method.other("POST")
        guard case .refused("/a", _) = self.admission("/good/a", other) else {
            Issue.record("\(self.admission("/good/a", other))")
            return
        }
        #expect(self.admission("/\(Self.secret)/a", other) == .answered(.methodNotAllowed))
        #expect(self.admission("/good/a", .options) == .answered(.options))
        #expect(self.admission("/good/a", host: "evil.example") == .answered(.misdirected))
    }

    @Test("do not hide health and readiness", arguments: ["/readyz", "/readyz?x"])
    func readiness(target: String) {
        #expect(self.admission(target) == .readiness)
        #expect(self.admission(target, .options) == .answered(.options))
        #expect(self.admission("/readyz/") == .answered(.notFound))
    }
}
