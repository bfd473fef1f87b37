// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("The host that responds")
struct ForeignAnswerTests {
    private func failure(
        _ status: Int,
        redirectingTo target: String,
        headers: [(String, String)] = []
    ) async throws -> SourceError? {
        let transport = ScriptedTransport { _, index in
            index == 0 ? .answer(302, [("Location", target)]) : .answer(status, headers)
        }
        let origin = try makeOrigin(transport: transport)
        return await sourceError { _ = try await origin.read(.whole) }
    }

    @Test(
        "a refusal after a redirect is reported as the target host's",
        arguments: [
            (401, .unauthorized), (403, .forbidden), (404, .notFound), (410, .notFound),
            (418, .forbidden), (505, .originFailed),
        ] as [(Int, SourceError.Code)]
    )
    func isForeign(_ status: Int, _ code: SourceError.Code) async throws {
        let error = try await self.failure(status, redirectingTo: "https://cdn.test/secret?sig=x")
        #expect(error?.code == code && error?.status == status && error?.host == "cdn.test")
        let message = try #require(error?.message)
        #expect(
            message.hasPrefix("https://media.test/folder/song.mp3 redirects to cdn.test, which")
        )
        #expect(message.contains("\(status)") && message.contains("ask the operator of media.test"))
        #expect(!message.contains("secret") && !message.contains("sig="))
    }

    @Test("a delay after a redirect is reported as the target host's, too")
    func waits() async throws {
        let error = try await self.failure(
            503,
            redirectingTo: "https://cdn.test/x",
            headers: [("Retry-After", "3600")]
        )
        #expect(error?.code == .throttled)
        #expect(error?.message.contains("redirects to cdn.test, which asks") == true)
    }

    @Test("a refusal within the host is reported as the file's own")
    func isOwn() async throws {
        let error = try await self.failure(404, redirectingTo: "/elsewhere.mp3")
        #expect(error?.code == .notFound && error?.host == "media.test")
        #expect(error?.message.hasPrefix("There is nothing at https://media.test/") == true)
    }

    @Test("after an expired remembered link, the origin's own response counts")
    func remembersNothing() async throws {
        let file = ScriptedFile()
        let transport = ScriptedTransport { request, index in
            switch index {
            case 0: .answer(302, [("Location", "https://cdn.test/x")])
            case 1: file.reply(to: request, limit: 2_000)
            default: .answer(404)
            }
        }
        let clock = ManualClock()
        let reading = try await makeOrigin(transport: transport, clock: clock).read(.whole)
        async let failure = sourceError { _ = try await reading.collect() }
        try await clock.pass(.milliseconds(250))
        let error = await failure
        #expect(error?.code == .notFound && error?.host == "media.test")
    }
}
