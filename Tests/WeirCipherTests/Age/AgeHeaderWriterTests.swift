// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirCipher

@Suite("Writing the header of an age file")
struct AgeHeaderWriterTests {
    @Test("each of several recipients opens the file, and no other identity does")
    func publicKeys() throws {
        let identities = try (0..<5).map { number in
            try AgeIdentity(
                parsing: Bech32.encode(
                    prefix: "age-secret-key-",
                    [UInt8](repeating: UInt8(number + 1), count: 32)
                ).uppercased()
            )
        }
        for count in 1...4 {
            let file = try AgeHeader.bytes(
                fileKey: AgeFixtures.fileKey,
                for: identities.prefix(count).map(\.recipient)
            )
            let header = try #require(try AgeHeader.read(file))
            #expect(header.length == file.count)
            for identity in identities.prefix(count) {
                let fileKey = try header.fileKey(for: [identity])
                #expect(AgeFixtures.bytes(fileKey) == Array(1...16))
            }
            let error = #expect(throws: CipherError.self) {
                try header.fileKey(for: Array(identities.dropFirst(count)))
            }
            #expect(error?.code == .wrongKey)
        }
    }

    @Test("a passphrase opens the file that it encrypted", arguments: [1, 2, 10])
    func passphrase(_ workFactor: Int) throws {
        let secret = AgeFixtures.secret("grün \u{0} ✓")
        let file = try AgeHeader.bytes(
            fileKey: AgeFixtures.fileKey,
            for: [.passphrase(secret, workFactor: workFactor)]
        )
        let header = try #require(try AgeHeader.read(file))
        let fileKey = try header.fileKey(for: [.passphrase(secret)])
        #expect(AgeFixtures.bytes(fileKey) == Array(1...16))
        guard case .passphrase(let stanza) = header.recipients else {
            Issue.record("no passphrase")
            return
        }
        #expect(stanza.workFactor == workFactor)
    }

    @Test("two headers share no line")
    func fresh() throws {
        let recipient = try AgeRecipient(parsing: AgeFixtures.firstRecipient)
        for recipients in [[recipient], [.passphrase(AgeFixtures.secret("a"), workFactor: 1)]] {
            let lines = try (0..<2).map { _ in
                try AgeHeader.bytes(fileKey: AgeFixtures.fileKey, for: recipients)
                    .split(separator: UInt8(ascii: "\n")).dropFirst()
            }
            #expect(Set(lines[0]).isDisjoint(with: lines[1]))
        }
    }

    @Test("a header never contains the file key")
    func noFileKey() throws {
        let recipient = try AgeRecipient(parsing: AgeFixtures.firstRecipient)
        let file = try AgeHeader.bytes(fileKey: AgeFixtures.fileKey, for: [recipient])
        let spelled = [UInt8](base64Of: AgeFixtures.bytes(AgeFixtures.fileKey)).dropLast()
        #expect(
            !String(decoding: file, as: UTF8.self).contains(
                String(decoding: spelled, as: UTF8.self)
            )
        )
    }

    @Test("impossible recipients are refused with a sentence on what to do")
    func refusals() throws {
        let key = try AgeRecipient(parsing: AgeFixtures.firstRecipient)
        let zero = try AgeRecipient(
            parsing: Bech32.encode(prefix: "age", [UInt8](repeating: 0, count: 32))
        )
        func passphrase(_ text: String, _ workFactor: Int = 1) -> AgeRecipient {
            .passphrase(AgeFixtures.secret(text), workFactor: workFactor)
        }
        for (recipients, code, part) in [
            ([], .invalidSettings, "No recipient is given"),
            ([key, passphrase("a")], .invalidSettings, "only recipient"),
            ([passphrase("a"), key], .invalidSettings, "only recipient"),
            ([passphrase("a"), passphrase("b")], .invalidSettings, "only recipient"),
            ([passphrase("a", 0)], .invalidSettings, "from 1 to 30"),
            ([passphrase("a", 31)], .invalidSettings, "from 1 to 30"),
            ([passphrase("a", .min)], .invalidSettings, "from 1 to 30"),
            ([passphrase("a", .max)], .invalidSettings, "from 1 to 30"),
            ([passphrase("")], .invalidKey, "empty"),
            ([key, zero], .invalidKey, "anyone could read the result"),
            ([AgeRecipient](repeating: key, count: 669), .invalidSettings, "encrypt for fewer"),
        ] as [([AgeRecipient], CipherError.Code, String)] {
            let error = #expect(throws: CipherError.self) {
                try AgeHeader.bytes(fileKey: AgeFixtures.fileKey, for: recipients)
            }
            #expect(error?.code == code)
            #expect(error?.message.contains(part) == true, "\(String(describing: error))")
        }
        // 668 recipients are within the limit.
        let most = [AgeRecipient](repeating: key, count: 668)
        #expect(throws: Never.self) {
            try AgeHeader.bytes(fileKey: AgeFixtures.fileKey, for: most)
        }
        for count in [0, 15, 17, 32] {
            let error = #expect(throws: CipherError.self) {
                try AgeHeader.bytes(fileKey: SecretBytes(count: count) { _ in }, for: [key])
            }
            #expect(error?.code == .invalidKey)
        }
    }

    @Test("a body of any length reads back the same, with an empty line behind a full last line")
    func bodies() throws {
        for count in 0..<150 {
            let stanza = AgeStanza(
                arguments: ["a", "b"],
                body: [UInt8](repeating: 0x5A, count: count)
            )
            let lines = stanza.bytes.split(
                separator: UInt8(ascii: "\n"),
                omittingEmptySubsequences: false
            )
            // Nothing follows the last line feed.
            let body = lines.dropFirst().dropLast()
            #expect(body.dropLast().allSatisfy { $0.count == 64 })
            #expect(try #require(body.last).count < 64)
            #expect([UInt8](decodingBase64: body.flatMap { $0 }) == stanza.body)
            let text = String(decoding: stanza.bytes, as: UTF8.self)
            #expect(throws: Never.self) { try AgeHeader.read(AgeFixtures.header(text)) }
        }
    }
}
