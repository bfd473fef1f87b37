// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirCipher

@Suite("Bech32")
struct Bech32Tests {
    @Test(
        "every valid text of BIP-173 is decoded, and encoded to the same text",
        arguments: [
            "A12UEL5L",
            "a12uel5l",
            "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1tt5tgs",
            "abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw",
            "11qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqc8247j",
            "split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w",
            "?1ezyfcl",
        ]
    )
    func validTexts(_ text: String) throws {
        let decoded = try Self.decode(Array(text.utf8))
        let bytes = AgeFixtures.bytes(decoded.payload)
        #expect(Bech32.encode(prefix: decoded.prefix.lowercased(), bytes) == text.lowercased())
    }

    @Test(
        "every invalid text of BIP-173 is refused",
        arguments: [
            ("\u{20}1nwldj5", .shape), ("\u{7F}1axkwrx", .shape), ("\u{80}1eym55h", .shape),
            (
                "an84characterslonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio1569pvx",
                .shape
            ),
            ("pzry9x0s0muk", .shape), ("1pzry9x0s0muk", .shape), ("x1b4n0q5v", .shape),
            ("li1dgmt3", .shape), ("de1lg7wt\u{FF}", .shape), ("A1G7SGD8", .checksum),
            ("10a06t8", .shape), ("1qzzfhee", .shape), ("", .shape), ("1", .shape), ("a1", .shape),
            ("A12uel5l", .mixedCase), ("a12UEL5L", .mixedCase), ("a12uel5L", .mixedCase),
        ] as [(String, Bech32Failure)]
    )
    func invalidTexts(_ text: String, _ failure: Bech32Failure) {
        let bytes = text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        #expect(throws: failure) { try Self.decode(bytes) }
    }

    @Test("the last incomplete byte has at most four bits, all zero")
    func padding() {
        for values: [UInt8] in [[0], [31], [0, 1], [0, 2], [0, 0, 0], [0, 0, 0, 1]] {
            #expect(throws: Bech32Failure.padding) { try Self.decode(Self.text(of: values)) }
        }
        for values: [UInt8] in [[], [0, 0], [31, 28], [0, 0, 0, 0], [0, 0, 0, 16]] {
            #expect(throws: Never.self) { try Self.decode(Self.text(of: values)) }
        }
    }

    @Test("no text keeps its checksum when one character changes")
    func substitutions() {
        let text = Array(AgeFixtures.firstRecipient.utf8)
        for position in text.indices {
            for character in UInt8(0)...255 where character != text[position] {
                var other = text
                other[position] = character
                #expect(throws: Bech32Failure.self) { try Self.decode(other) }
            }
        }
    }

    @Test("bytes of every length are encoded and decoded", arguments: [11])
    func roundTrips(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for count in 0..<100 {
            let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let decoded = try Self.decode(Array(Bech32.encode(prefix: "age", bytes).utf8))
            #expect(AgeFixtures.bytes(decoded.payload) == bytes, "seed \(seed)")
            #expect(decoded.prefix == "age")
        }
    }

    private static func decode(_ text: [UInt8]) throws(Bech32Failure) -> Bech32 {
        try SecretBytes(text).withUnsafeBytes { bytes throws(Bech32Failure) in
            try Bech32(decoding: bytes)
        }
    }

    /// The text of these five-bit groups, with its checksum.
    private static func text(of values: [UInt8]) -> [UInt8] {
        var checksum = Bech32Checksum(prefix: "a".utf8)
        for value in values { checksum.take(value) }
        let alphabet = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)
        return Array("a1".utf8) + (values + checksum.values).map { alphabet[Int($0)] }
    }
}
