// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirCipher

@Suite("Identities of age")
struct AgeIdentityTests {
    @Test("an identity is read from a file of age-keygen, and a file with two is refused")
    func keyFile() throws {
        let text =
            "# created: 2026-11-24T12:00:00Z\n# public key: age1\n\(AgeFixtures.firstIdentity)\r\n\n"
        #expect(try AgeIdentity(parsing: text).recipient.description == AgeFixtures.firstRecipient)
        let both = "\(AgeFixtures.firstIdentity)\n\(AgeFixtures.firstIdentity)"
        for bad in [both, "", "# only a comment\n"] {
            let error = #expect(throws: CipherError.self) { try AgeIdentity(parsing: bad) }
            #expect(error?.code == .invalidKey)
        }
    }

    @Test("an identity has the public key that age-keygen prints")
    func publicKeys() throws {
        let first = try AgeIdentity(parsing: AgeFixtures.firstIdentity)
        #expect(first.recipient.description == AgeFixtures.firstRecipient)
        let second = try AgeIdentity(parsing: AgeFixtures.secret(AgeFixtures.secondIdentity))
        #expect(second.recipient.description == AgeFixtures.secondRecipient)
        // The specification's example.
        let example = try AgeIdentity(
            parsing: "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX"
        )
        #expect(
            example.recipient.description
                == "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj"
        )
    }

    @Test(
        "text that is not an identity is refused with a sentence on what to do, and never shown",
        arguments: [
            ("", "cut off"),
            (String(AgeFixtures.firstIdentity.dropLast()), "checksum"),
            (String(AgeFixtures.firstIdentity.dropLast()) + "A", "checksum"),
            (AgeFixtures.firstIdentity.dropLast() + "g", "mixes upper case and lower case"),
            (AgeFixtures.firstIdentity.lowercased(), "in upper case"),
            (AgeFixtures.firstRecipient, "is a public key"),
            (AgeFixtures.passphrase, "is not allowed"),
            (Self.text("age-secret-key-", count: 31), "32 bytes, and this one has 31"),
            (Self.text("age-secret-key-", count: 33), "32 bytes, and this one has 33"),
            (Self.text("age-secret-key-", count: 0), "32 bytes, and this one has 0"),
            (Self.text("age-secret-key-pq-", count: 32), "post-quantum"),
            (Self.text("age-plugin-yubikey-", count: 20), "plugin"),
            (Self.text("nsec", count: 32), "is not an age identity"),
        ] as [(String, String)]
    )
    func refused(_ text: String, _ part: String) {
        let error = #expect(throws: CipherError.self) { try AgeIdentity(parsing: text) }
        #expect(error?.code == .invalidKey)
        #expect(error?.message.contains(part) == true, "\(String(describing: error))")
        #expect(text.isEmpty || error?.message.contains(text) == false)
        for secret in [AgeFixtures.firstIdentity, AgeFixtures.passphrase] {
            #expect(error?.message.contains(secret.suffix(20)) == false)
        }
    }

    @Test("no description, dump or reflection shows a secret")
    func secrecy() throws {
        let identities = [
            try AgeIdentity(parsing: AgeFixtures.firstIdentity),
            .passphrase(AgeFixtures.secret(AgeFixtures.passphrase)),
        ]
        for (identity, expected) in zip(identities, ["an age identity", "a passphrase"]) {
            #expect("\(identity)" == expected)
            #expect(String(reflecting: identity) == expected)
            var dumped = ""
            dump(identity, to: &dumped)
            #expect(dumped == "- \(expected)\n")
        }
    }

    @Test("a passphrase's recipient has the usual work factor, or the limit if that is smaller")
    func passphraseRecipient() {
        for (limit, expected) in [(18, 18), (30, 18), (4, 4), (99, 18)] {
            let identity = AgeIdentity.passphrase(
                AgeFixtures.secret("a"),
                largestWorkFactor: limit
            )
            guard case .passphrase(_, let workFactor) = identity.recipient.key else {
                Issue.record("not a passphrase")
                continue
            }
            #expect(workFactor == expected)
        }
    }

    private static func text(_ prefix: String, count: Int) -> String {
        let text = Bech32.encode(prefix: prefix, [UInt8](repeating: 0x42, count: count))
        return prefix.hasPrefix("age-") ? text.uppercased() : text
    }
}
