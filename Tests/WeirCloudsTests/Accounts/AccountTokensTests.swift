// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirClouds

@Suite("Tokens as text")
struct AccountTokensTests {
    @Test("no text that is made of tokens shows them")
    func hidden() {
        let tokens = AccountTokens(
            accessToken: "hush1",
            refreshToken: "hush2",
            expiry: 7,
            clientIdentifier: "hush3",
            clientSecret: "hush4"
        )
        var dumped = ""
        dump([AccountID(service: "s", name: "n"): tokens], to: &dumped)
        for text in [
            "\(tokens)", String(reflecting: tokens), "\([tokens])", "\(Optional(tokens) as Any)",
            dumped,
        ] {
            #expect(!text.contains("hush"), "\(text)")
        }
        #expect("\(tokens)" == "AccountTokens(hidden, until 7)")
    }
}
