// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirCipher

@Suite("Identity files of age")
struct AgeIdentityFileTests {
    @Test("comments and empty lines are skipped, and lines may end with CR LF or with the file")
    func lines() throws {
        let first = AgeFixtures.firstIdentity
        let second = AgeFixtures.secondIdentity
        let recipients = [AgeFixtures.firstRecipient, AgeFixtures.secondRecipient]
        for text in [
            "# created: 2026-11-21\n# public key: age1\n\(first)\n\(second)\n",
            "\(first)\n\n\n#\n\(second)",
            "# x\r\n\r\n\(first)\r\n#\(first)\r\n\(second)\r\n",
        ] {
            let identities = try AgeIdentity.parseFile(AgeFixtures.secret(text))
            #expect(identities.map(\.recipient.description) == recipients)
        }
    }

    @Test(
        "the error names the number of a line that is not an identity, and does not show the line"
    )
    func badLine() {
        let first = AgeFixtures.firstIdentity
        for (text, line) in [
            ("\(first.dropLast())\n", 1),
            ("# x\n\n\(first)\n\(first)A\n\(first)\n", 4),
            ("# x\n \(first)\n", 2),
            ("\(first)\n # indented\n", 2),
            ("#\r\n#\r\n\(AgeFixtures.firstRecipient)\r\n", 3),
        ] {
            let error = #expect(throws: CipherError.self) {
                try AgeIdentity.parseFile(AgeFixtures.secret(text))
            }
            #expect(error?.code == .invalidKey)
            #expect(error?.message.hasPrefix("Line \(line) of the identity file") == true)
            #expect(error?.message.contains(first.dropFirst(20).prefix(20)) == false)
        }
    }

    @Test(
        "a file without an identity is refused",
        arguments: ["", "\n", "# nothing\n", "\r\n\r\n"]
    )
    func noIdentity(_ text: String) {
        let error = #expect(throws: CipherError.self) {
            try AgeIdentity.parseFile(AgeFixtures.secret(text))
        }
        #expect(error?.code == .invalidKey)
        #expect(error?.message.contains("no identity") == true)
    }

    @Test("an encrypted identity file is refused with a sentence on what to do")
    func encrypted() {
        for file in [
            AgeFixtures.underPassphrase, Array("-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n".utf8),
        ] {
            let error = #expect(throws: CipherError.self) {
                try AgeIdentity.parseFile(SecretBytes(file))
            }
            #expect(error?.code == .unsupported)
            #expect(error?.message.contains("age --decrypt") == true)
        }
    }
}
