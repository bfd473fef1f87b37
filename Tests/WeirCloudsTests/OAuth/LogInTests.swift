// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import WeirClouds

/// A browser whose user follows a test's script.
private struct ScriptedBrowser: AuthorizationBrowser {
    let end: @Sendable (AuthorizationRequest) throws -> String

    func answer(to request: AuthorizationRequest) async throws -> AuthorizationAnswer {
        let end = try #require(URL(string: try self.end(request)))
        return try AuthorizationAnswer(end, to: request)
    }
}

@Suite("A log-in", .timeLimit(.minutes(1)))
struct LogInTests {
    private let endpoint = AnsweringTransport { _, _ in
        .init(
            200,
            [("Content-Type", "application/json")],
            #"{"access_token":"a1","refresh_token":"r1","token_type":"bearer"}"#
        )
    }

    private func client() throws -> OAuthClient {
        OAuthClient(
            endpoint: try OriginURL("https://oauth.test/token"),
            client: self.endpoint.client,
            now: { 1_000_000 }
        )
    }

    private func request(_ redirect: String = "player://callback") -> AuthorizationRequest {
        AuthorizationRequest(at: .yandex, clientIdentifier: "app", redirect: redirect)
    }

    @Test(
        "redeems the code from any browser, with the proof and the redirect address of its request"
    )
    func redeems() async throws {
        let request = self.request()
        let browser = ScriptedBrowser { "\($0.redirect)?code=c%2F1&state=\($0.state)" }
        let tokens = try await self.client().logIn(
            with: request,
            clientSecret: "shh",
            in: browser
        )
        #expect(tokens.accessToken == "a1")
        #expect(tokens.clientIdentifier == "app")
        #expect(tokens.clientSecret == "shh")
        let sent = try #require(self.endpoint.requests.value.first)
        let form = FormBody.pairs(in: String(decoding: sent.body, as: UTF8.self))
        func field(_ name: String) -> String? { form.first { $0.name == name }?.value }
        #expect(field("code") == "c/1")
        #expect(field("code_verifier") == request.proof.verifier)
        #expect(field("redirect_uri") == "player://callback")
        #expect(self.endpoint.requests.value.count == 1)
    }

    @Test(
        "asks for no token where the browser brings no code for this request",
        arguments: [
            ("?code=c&state=another", SourceError.Code.badAnswer),
            ("?code=c", .badAnswer),
            ("?state=STATE", .badAnswer),
            ("?error=access_denied&state=STATE", .unauthorized),
            ("?error=access_denied&state=another", .badAnswer),
        ]
    )
    func noCode(_ query: String, _ code: SourceError.Code) async throws {
        let browser = ScriptedBrowser { request in
            request.redirect + query.replacing("STATE", with: request.state)
        }
        let client = try self.client()
        let error = await #expect(throws: SourceError.self) {
            _ = try await client.logIn(with: self.request(), in: browser)
        }
        #expect(error?.code == code)
        #expect(self.endpoint.requests.value.isEmpty)
    }

    @Test("that the user cancels asks for no token")
    func brokenOff() async throws {
        let client = try self.client()
        await #expect(throws: CancellationError.self) {
            _ = try await client.logIn(
                with: self.request(),
                in: ScriptedBrowser { _ in throw CancellationError() }
            )
        }
        #expect(self.endpoint.requests.value.isEmpty)
    }

    #if os(macOS) || os(Linux)
    @Test("of a program ends at its listener")
    func loopback() async throws {
        let state = AuthorizationRequest.randomState()
        let listener = try await LoopbackRedirect.listen(state: state, path: "/back")
        var request = self.request(listener.url)
        request.state = state
        let browser = LoopbackBrowser(listener) { request in
            // A browser requests this address after its user agreed.
            let end = "\(request.redirect)?code=c&state=\(request.state)"
            Thread.detachNewThread { _ = URL(string: end).flatMap { try? Data(contentsOf: $0) } }
        }
        let tokens = try await self.client().logIn(with: request, in: browser)
        #expect(tokens.accessToken == "a1")
        let sent = try #require(self.endpoint.requests.value.first)
        #expect(String(decoding: sent.body, as: UTF8.self).contains("code=c&"))
    }
    #endif
}
