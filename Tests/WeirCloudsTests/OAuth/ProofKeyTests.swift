// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirClouds

@Suite("The proof key of a log-in")
struct ProofKeyTests {
    @Test("the vector of RFC 7636, appendix B")
    func vector() throws {
        let bytes: [UInt8] = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37,
            77, 105, 214, 191, 240, 91, 88, 5, 88, 83, 132, 141, 121,
        ]
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk"
        #expect(String(base64URL: bytes) == verifier)
        let key = try #require(ProofKey(verifier: verifier))
        #expect(key.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
    }

    @Test("base64url of the vectors of RFC 4648, without padding")
    func base64() {
        let vectors = [
            ("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"), ("foobar", "Zm9vYmFy"),
        ]
        for (text, encoded) in vectors { #expect(String(base64URL: text.utf8) == encoded) }
        #expect(String(base64URL: [0xFB, 0xFF]) == "-_8")
    }

    @Test("a new one has 43 characters, is unique, and is never shown")
    func new() {
        let keys = (0..<50).map { _ in ProofKey() }
        #expect(Set(keys).count == 50)
        for key in keys {
            #expect(key.verifier.utf8.count == 43)
            #expect(ProofKey(verifier: key.verifier) == key)
            #expect(key.challenge.utf8.count == 43)
        }
        var dumped = ""
        dump(keys[0], to: &dumped)
        #expect(!"\(keys[0])\(String(reflecting: keys[0]))\(dumped)".contains(keys[0].verifier))
    }

    @Test("text that is not a verifier is refused")
    func wrong() {
        for text in [
            "", String(repeating: "a", count: 42), String(repeating: "a", count: 129),
            String(repeating: "a", count: 42) + "+", String(repeating: "ä", count: 43),
        ] {
            #expect(ProofKey(verifier: text) == nil)
        }
    }
}
