// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirHTTP

@Suite("The challenges of a field")
struct ChallengeListTests {
    typealias Challenge = AuthenticationChallenge

    @Test(
        "are separated correctly, though commas appear everywhere",
        arguments: [
            ("", []), (",, ,", []),
            ("Basic", [Challenge(scheme: "Basic")]),
            ("Basic realm=\"a, b\"", [Challenge(scheme: "Basic", parameters: ["realm": "a, b"])]),
            (
                "Basic realm=\"a\",Digest realm=b, QOP=\"auth,auth-int\" , Bearer",
                [
                    Challenge(scheme: "Basic", parameters: ["realm": "a"]),
                    Challenge(
                        scheme: "Digest",
                        parameters: ["realm": "b", "qop": "auth,auth-int"]
                    ),
                    Challenge(scheme: "Bearer"),
                ]
            ),
            (
                "Digest realm = \"Digest nonce=\\\"x\\\"\"",
                [Challenge(scheme: "Digest", parameters: ["realm": "Digest nonce=\"x\""])]
            ),
            ("Digest realm=\"open", [Challenge(scheme: "Digest", parameters: ["realm": "open"])]),
            ("Digest realm=\"a\\", [Challenge(scheme: "Digest", parameters: ["realm": "a\\"])]),
            ("realm=\"a\"", []),
        ] as [(String, [Challenge])]
    )
    func areToldApart(_ field: String, _ expected: [Challenge]) {
        #expect(AuthenticationChallenge.all(in: field) == expected)
    }

    @Test("are found behind a scheme with a token")
    func areFoundBehindToken() {
        let challenges = AuthenticationChallenge.all(
            in: "Negotiate YIIabc==, Digest realm=\"r\", nonce=\"n\""
        )
        #expect(challenges.first?.scheme == "Negotiate")
        #expect(challenges.last?.parameters == ["realm": "r", "nonce": "n"])
    }

    @Test("are read from any text, cut anywhere", arguments: 0..<100)
    func neverTrap(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let signs: [Character] = [
            "\"", "\\", ",", "=", " ", "\t", "a", "é", "\u{301}", "\0",
        ]
        var text = ""
        for _ in 0..<Int.random(in: 0..<60, using: &random) {
            text.append(signs[Int.random(in: 0..<signs.count, using: &random)])
        }
        _ = AuthenticationChallenge.all(in: text)
        _ = DigestChallenge.best(of: [text])
        let good = "Basic realm=\"a\\\"b\", Digest realm=\"b\", nonce=\"c\", qop=\"auth,auth-int\""
        for count in 0...good.count {
            _ = DigestChallenge.best(of: [
                String(good.prefix(count)), String(good.dropFirst(count)),
            ])
        }
    }
}
