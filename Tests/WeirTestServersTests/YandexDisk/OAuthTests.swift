// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirTestServers

@Suite("The authorization server of a Yandex.Disk")
struct OAuthTests {
    /// The verifier and the challenge of RFC 7636, appendix B.
    private static let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
    private static let challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
    private static let asked =
        "response_type=code&client_id=weir-test-client&state=a%20b&code_challenge_method=S256"
        + "&code_challenge=\(challenge)&redirect_uri=http%3A%2F%2F127.0.0.1%3A9%2Fback"
    private static let form = ["Content-Type": "application/x-www-form-urlencoded"]

    private func code(_ disk: inout Disk) -> String {
        let location = disk.ask(.oauth, "/authorize?\(Self.asked)").value("location") ?? ""
        return String(location.between("code=", "&"))
    }

    private func token(
        _ disk: inout Disk,
        _ body: String,
        _ fields: [String: String] = form
    ) -> ServerAnswer {
        disk.ask(.oauth, "/token", fields, method: "POST", body: body)
    }

    private func redemption(_ code: String, verifier: String = verifier) -> String {
        "grant_type=authorization_code&client_id=weir-test-client&code=\(code)&code_verifier=\(verifier)"
    }

    private func renewal(_ answer: ServerAnswer) -> String {
        let token = answer.text.between(#""refresh_token":""#, "\"").replacing(":", with: "%3A")
        return "grant_type=refresh_token&client_id=weir-test-client&refresh_token=\(token)"
    }

    private func status(_ disk: inout Disk, with answer: ServerAnswer) -> Int {
        let token = answer.text.between(#""access_token":""#, "\"")
        return disk.ask(.api, "/v1/disk", ["Authorization": "OAuth \(token)"]).status
    }

    @Test("a code is given out at once, with the state, and is exchanged for tokens that expire")
    func flow() {
        var disk = Disk()
        let redirect = disk.ask(.oauth, "/authorize?\(Self.asked)")
        #expect(redirect.status == 302)
        let location = redirect.value("location") ?? ""
        #expect(location.hasPrefix("http://127.0.0.1:9/back?code="))
        #expect(location.hasSuffix("&state=a%20b"))
        let tokens = self.token(&disk, self.redemption(self.code(&disk)))
        #expect(tokens.status == 200)
        #expect(tokens.text.contains(#""expires_in":3600"#))
        #expect(tokens.text.contains(#""token_type":"bearer""#))
        #expect(self.status(&disk, with: tokens) == 200)
        disk.now += 3600
        #expect(self.status(&disk, with: tokens) == 401)
        let renewed = self.token(&disk, self.renewal(tokens))
        #expect(self.status(&disk, with: renewed) == 200)
        #expect(self.token(&disk, self.renewal(renewed)).status == 200)
    }

    @Test("a second use of a refresh token is a violation that revokes all tokens")
    func reuse() {
        var disk = Disk()
        let tokens = self.token(&disk, self.redemption(self.code(&disk)))
        let renewed = self.token(&disk, self.renewal(tokens))
        let again = self.token(&disk, self.renewal(tokens))
        #expect(again.status == 400)
        #expect(again.text.contains(#""error":"invalid_grant""#))
        #expect(again.violation != nil)
        #expect(self.status(&disk, with: renewed) == 401)
        #expect(self.token(&disk, self.renewal(renewed)).status == 400)
    }

    @Test("a code works once, in its time, and with its verifier")
    func codes() {
        var disk = Disk()
        let code = self.code(&disk)
        let tokens = self.token(&disk, self.redemption(code))
        #expect(self.token(&disk, self.redemption(code)).violation != nil)
        #expect(self.status(&disk, with: tokens) == 401)
        let other = self.code(&disk)
        let verifier = String(repeating: "x", count: 43)
        #expect(self.token(&disk, self.redemption(other, verifier: verifier)).violation != nil)
        #expect(self.token(&disk, self.redemption(other)).status == 400)
        let late = self.code(&disk)
        disk.now += 600
        let answer = self.token(&disk, self.redemption(late))
        #expect(answer.text.contains("invalid_grant"))
        #expect(answer.violation == nil)
        #expect(self.token(&disk, self.redemption("nonsense")).text.contains("invalid_grant"))
    }

    @Test("a client identifies itself in one of three ways")
    func clients() {
        var disk = Disk()
        let secret = "&client_secret=weir-test-secret"
        #expect(self.token(&disk, self.redemption(self.code(&disk)) + secret).status == 200)
        // The Base64 of `weir-test-client:weir-test-secret`.
        let basic = Self.form.merging(
            ["Authorization": "Basic d2Vpci10ZXN0LWNsaWVudDp3ZWlyLXRlc3Qtc2VjcmV0"]
        ) { $1 }
        let code = self.code(&disk)
        #expect(self.token(&disk, self.redemption(code) + secret, basic).violation != nil)
        #expect(self.token(&disk, self.redemption(code), basic).status == 200)
        let wrong = self.token(&disk, self.redemption(code) + "&client_secret=x")
        #expect(wrong.text.contains("invalid_client"))
        let bearer = Self.form.merging(["Authorization": "Bearer x"]) { $1 }
        #expect(self.token(&disk, self.redemption(code), bearer).violation != nil)
    }

    @Test(
        "a log-in with a missing field, or with another client's, is refused",
        arguments: [
            ("client_id=weir-test-client", "client_id=x"),
            ("response_type=code", "response_type=token"),
            ("=S256", "=plain"), (challenge, "short"), ("&state=a%20b", ""), ("a%20b", "a+b"),
            ("redirect_uri", "redirect"), ("127.0.0.1%3A9%2Fback", "x%23y"),
        ]
    )
    func strictLogin(_ part: String, _ replacement: String) {
        var disk = Disk()
        let query = Self.asked.replacing(part, with: replacement)
        let answer = disk.ask(.oauth, "/authorize?\(query)")
        #expect(answer.status == 400)
        #expect(answer.violation != nil)
    }

    @Test("a token request is a form, without arguments in its URL")
    func strictForm() {
        var disk = Disk()
        let body = self.redemption(self.code(&disk))
        #expect(self.token(&disk, body, ["Content-Type": "application/json"]).violation != nil)
        #expect(self.token(&disk, body, [:]).violation != nil)
        let answer = disk.ask(.oauth, "/token?x=1", Self.form, method: "POST", body: body)
        #expect(answer.violation != nil)
        let grant = self.token(&disk, body.replacing("authorization_code", with: "password"))
        #expect(grant.text.contains("unsupported_grant_type"))
    }

    @Test("the user may refuse, and a refused refresh may be tried again")
    func faults() {
        var disk = Disk(.once(.authorizationDenied), .once(.refreshRefused))
        let denied = disk.ask(.oauth, "/authorize?\(Self.asked)").value("location")
        #expect(denied == "http://127.0.0.1:9/back?error=access_denied&state=a%20b")
        let tokens = self.token(&disk, self.redemption(self.code(&disk)))
        #expect(self.token(&disk, self.renewal(tokens)).text.contains("invalid_grant"))
        #expect(self.token(&disk, self.renewal(tokens)).status == 200)
    }
}
