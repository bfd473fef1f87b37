// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import WeirClouds

@Suite("Credentials")
struct HiddenCredentialTests {
    @Test("appear in no description of an object that holds them")
    func isHidden() async throws {
        let base = try OriginURL("https://me:s3cret@dav.test/Music")
        let client = ServiceClient(transport: AnsweringTransport { _, _ in .init(200) })
        let things: [Any] = [
            PasswordAuthorizer(user: "me", password: "s3cret"), Credential(token: "s3cret"),
            FixedCredential(token: "s3cret"),
            TokenAuthorizer(scheme: "OAuth", provider: FixedCredential(token: "s3cret")),
            WebDAV(name: nil, base: base, authorizer: nil, client: client),
            try await WebDAV(name: nil, base: base, authorizer: nil, client: client).locate(
                .root,
                range: .whole,
                after: nil
            ),
        ]
        for thing in things {
            var dumped = ""
            dump(thing, to: &dumped)
            for text in [dumped, String(describing: thing), String(reflecting: thing)] {
                #expect(!text.contains("s3cret") && !text.contains("bWU6czNjcmV0"))
            }
        }
    }
}
