// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirCipher

@Suite("Recipients of age")
struct AgeRecipientTests {
    @Test("a public key is read, and its description is its text")
    func publicKey() throws {
        for text in [AgeFixtures.firstRecipient, AgeFixtures.secondRecipient] {
            let recipient = try AgeRecipient(parsing: text)
            #expect("\(recipient)" == text)
            #expect(String(reflecting: recipient) == text)
        }
    }

    @Test(
        "text that is not a public key is refused with a sentence on what to do",
        arguments: [
            ("", "cut off"),
            (AgeFixtures.firstRecipient + "\n", "is not allowed"),
            (String(AgeFixtures.firstRecipient.dropLast()), "checksum"),
            (AgeFixtures.firstRecipient.dropLast() + "D", "mixes upper case and lower case"),
            (AgeFixtures.firstRecipient.uppercased(), "in upper case"),
            (AgeFixtures.firstIdentity, "kept secret"),
            (AgeFixtures.firstIdentity.lowercased(), "kept secret"),
            (Bech32.encode(prefix: "age", Array(0..<31)), "32 bytes, and this one has 31"),
            (Bech32.encode(prefix: "age", Array(0..<33)), "32 bytes, and this one has 33"),
            (Bech32.encode(prefix: "age1pq", Array(0..<32)), "Weir does not support"),
            (Bech32.encode(prefix: "age1yubikey", Array(0..<33)), "Weir does not support"),
            (Bech32.encode(prefix: "bc", Array(0..<32)), "is not a public key of age"),
            ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI", "is not allowed"),
        ] as [(String, String)]
    )
    func refused(_ text: String, _ part: String) {
        let error = #expect(throws: CipherError.self) { try AgeRecipient(parsing: text) }
        #expect(error?.code == .invalidKey)
        #expect(error?.message.contains(part) == true, "\(String(describing: error))")
        #expect(error?.message.contains(AgeFixtures.firstIdentity.suffix(20)) == false)
        #expect(error?.message.contains(AgeFixtures.firstIdentity.lowercased().suffix(20)) == false)
    }

    @Test("the description and the dump of a passphrase are a passphrase, without its text")
    func passphrase() {
        let recipient = AgeRecipient.passphrase(AgeFixtures.secret(AgeFixtures.passphrase))
        #expect("\(recipient)" == "a passphrase")
        var dumped = ""
        dump(recipient, to: &dumped)
        #expect(dumped == "- a passphrase\n")
    }
}
