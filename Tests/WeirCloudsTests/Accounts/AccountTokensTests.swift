// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirClouds

@Suite("Tokens as text")
struct AccountTokensTests {
    @Test("no description of tokens shows them")
    func hidden() {
        let tokens = AccountTokens(
            accessToken: "hush1",
            refreshToken: "hush2",
            expirySeconds: 7,
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

    @Test("any date can be the expiry of a token")
    func ends() {
        let ends: [(Date, Int64)] = [
            (Date(timeIntervalSince1970: 7.9), 7), (.distantPast, -62_135_769_600),
            (Date(timeIntervalSince1970: .infinity), .max), (Date(timeIntervalSince1970: .nan), 0),
        ]
        for (date, seconds) in ends {
            var tokens = AccountTokens(accessToken: "a", expiry: date)
            #expect(tokens.expirySeconds == seconds)
            #expect(tokens.expiry == Date(timeIntervalSince1970: TimeInterval(seconds)))
            tokens.expiry = nil
            #expect(tokens.expirySeconds == nil)
        }
    }
}
