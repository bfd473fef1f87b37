// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirClouds

@Suite("The authorization request")
struct AuthorizationRequestTests {
    private func request(_ endpoint: String, scope: String? = nil) throws -> AuthorizationRequest {
        AuthorizationRequest(
            endpoint: endpoint,
            clientIdentifier: "my app&",
            redirect: "http://127.0.0.1:4748/",
            scope: scope,
            state: "s+/=",
            proof: try #require(
                ProofKey(verifier: "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
            )
        )
    }

    @Test("is a URL with everything encoded")
    func url() throws {
        #expect(
            try self.request("https://oauth.example/authorize", scope: "a:b c").url
                == "https://oauth.example/authorize?response_type=code&client_id=my%20app%26"
                + "&redirect_uri=http%3A%2F%2F127.0.0.1%3A4748%2F&scope=a%3Ab%20c&state=s%2B%2F%3D"
                + "&code_challenge=E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
                + "&code_challenge_method=S256"
        )
    }

    @Test("keeps the endpoint's query, and no fragment")
    func query() throws {
        #expect(
            try self.request("https://o.example/a?x=1#f").url
                .hasPrefix("https://o.example/a?x=1&response_type=code&")
        )
        #expect(
            try self.request("https://o.example/a?").url
                .hasPrefix("https://o.example/a?response_type=code&")
        )
        var request = try self.request("https://o.example/a")
        request.additions = [("force_confirm", "yes"), ("ü", "")]
        #expect(request.url.hasSuffix("&force_confirm=yes&%C3%BC="))
    }

    @Test("states are 32 characters and never repeat")
    func states() {
        let states = Set((0..<50).map { _ in AuthorizationRequest.randomState() })
        #expect(states.count == 50)
        #expect(states.allSatisfy { $0.utf8.count == 32 })
    }

    @Test("a form holds its pairs, and its description shows none of them")
    func form() {
        let form = FormBody([("a", "1 2"), ("b", nil), ("c", "ü&=+%"), ("", "")])
        #expect(form.text == "a=1%202&c=%C3%BC%26%3D%2B%25&=")
        #expect("\(form)\(String(reflecting: form))".contains("1") == false)
    }
}
