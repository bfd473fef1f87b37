// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirCipher

@Suite("The file key of an age file")
struct AgeFileKeyTests {
    private static func identity(_ text: String) throws -> AgeIdentity {
        try AgeIdentity(parsing: text)
    }

    private static func passphrase(_ text: String, limit: Int = 4) -> AgeIdentity {
        .passphrase(AgeFixtures.secret(text), largestWorkFactor: limit)
    }

    @Test("files that age wrote open with each of their identities, at any place in the list")
    func realFiles() throws {
        let first = try Self.identity(AgeFixtures.firstIdentity)
        let second = try Self.identity(AgeFixtures.secondIdentity)
        let word = Self.passphrase("word")
        for (file, identities) in [
            (AgeFixtures.oneRecipient, [first]), (AgeFixtures.oneRecipient, [word, second, first]),
            (AgeFixtures.twoRecipients, [first]), (AgeFixtures.twoRecipients, [second]),
            (AgeFixtures.twoRecipients, [second, first]), (AgeFixtures.strangerFirst, [first]),
        ] {
            let text = try AgeFixtures.plaintext(of: file, with: identities)
            #expect(text == AgeFixtures.plaintext)
        }
    }

    @Test("a file that age wrote with a passphrase opens with that passphrase")
    func realPassphrase() throws {
        let identity = Self.passphrase(AgeFixtures.passphrase, limit: 18)
        let text = try AgeFixtures.plaintext(of: AgeFixtures.underPassphrase, with: [identity])
        #expect(text == AgeFixtures.plaintext)
    }

    @Test("the error's sentence says why no key opens the file")
    func refusals() throws {
        let first = try Self.identity(AgeFixtures.firstIdentity)
        let second = try Self.identity(AgeFixtures.secondIdentity)
        let wrong = Self.passphrase("wrong")
        let sealed = try AgeHeader.bytes(
            fileKey: AgeFixtures.fileKey,
            for: [.passphrase(AgeFixtures.secret("right"), workFactor: 1)]
        )
        let strangers = AgeFixtures.header("-> ssh-ed25519 a\n\n-> mlkem768x25519 b\n\n")
        for (file, identities, code, part) in [
            (sealed, [], .wrongKey, "give the passphrase"),
            (sealed, [first, second], .wrongKey, "give the passphrase"),
            (sealed, [wrong], .wrongKey, "The passphrase does not decrypt the file"),
            (sealed, [first, wrong, wrong], .wrongKey, "None of the 2 passphrases"),
            (AgeFixtures.oneRecipient, [], .wrongKey, "no identity was given"),
            (AgeFixtures.oneRecipient, [wrong], .wrongKey, "only a passphrase"),
            (AgeFixtures.oneRecipient, [second], .wrongKey, "not encrypted for the given identity"),
            (
                AgeFixtures.oneRecipient, [second, wrong, second], .wrongKey,
                "none of the 2 identities"
            ),
            (strangers, [first], .unsupported, "kinds of recipients that Weir does not support"),
        ] as [([UInt8], [AgeIdentity], CipherError.Code, String)] {
            let header = try #require(try AgeHeader.read(file))
            let error = #expect(throws: CipherError.self) { try header.fileKey(for: identities) }
            #expect(error?.code == code)
            #expect(error?.message.contains(part) == true, "\(String(describing: error))")
        }
    }

    @Test(
        "a passphrase that costs too much work is refused before any work, unless an identity opens the file"
    )
    func tooCostly() throws {
        let sealed = try AgeHeader.bytes(
            fileKey: AgeFixtures.fileKey,
            for: [.passphrase(AgeFixtures.secret("right"), workFactor: 3)]
        )
        let header = try #require(try AgeHeader.read(sealed))
        for limit in [2, 1, 0, -1, .min] {
            let identity = Self.passphrase("right", limit: limit)
            let error = #expect(throws: CipherError.self) { try header.fileKey(for: [identity]) }
            #expect(error?.code == .tooCostly)
            #expect(error?.message.contains("the limit is \(limit)") == true)
        }
        let allowed = [Self.passphrase("right", limit: 2), Self.passphrase("right", limit: 3)]
        #expect(AgeFixtures.bytes(try header.fileKey(for: allowed)) == Array(1...16))
        // These work factors need more memory than the machine of a test has.
        for (factor, memory) in [(31, "2 TiB"), (40, "1 PiB"), (63, "8 ZiB")] {
            let file = Self.scryptHeader(workFactor: "\(factor)")
            let header = try #require(try AgeHeader.read(file))
            let identity = Self.passphrase("right", limit: .max)
            let error = #expect(throws: CipherError.self) { try header.fileKey(for: [identity]) }
            #expect(error?.code == .tooCostly)
            #expect(error?.message.contains(memory) == true, "\(String(describing: error))")
        }
    }

    @Test("an empty passphrase is refused")
    func emptyPassphrase() throws {
        let header = try #require(try AgeHeader.read(Self.scryptHeader(workFactor: "1")))
        let error = #expect(throws: CipherError.self) {
            try header.fileKey(for: [Self.passphrase("")])
        }
        #expect(error?.code == .invalidKey)
    }

    @Test("shares that give everyone the same secret are refused")
    func lowOrderShares() throws {
        let identity = try Self.identity(AgeFixtures.firstIdentity)
        var one = [UInt8](repeating: 0, count: 32)
        one[0] = 1
        // 2²⁵⁵ − 19, which is another encoding of zero.
        let prime = [0xED] + [UInt8](repeating: 0xFF, count: 30) + [0x7F]
        for share in [[UInt8](repeating: 0, count: 32), one, prime] {
            let text = String(decoding: [UInt8](base64Of: share), as: UTF8.self)
            let body = String(repeating: "A", count: 43)
            let file = AgeFixtures.header("-> X25519 \(text)\n\(body)\n")
            let header = try #require(try AgeHeader.read(file))
            let error = #expect(throws: CipherError.self) { try header.fileKey(for: [identity]) }
            #expect(error?.code == .damaged)
            #expect(error?.message.contains("so that it is not secret") == true)
        }
    }

    @Test(
        "no file with one flipped bit in its header gives a key",
        arguments: [AgeFixtures.oneRecipient, AgeFixtures.twoRecipients, AgeFixtures.strangerFirst]
    )
    func flippedBits(_ file: [UInt8]) throws {
        let identities = [
            try Self.identity(AgeFixtures.firstIdentity),
            try Self.identity(AgeFixtures.secondIdentity),
        ]
        let codes = try Self.codes(ofFlipsIn: file, with: identities)
        // The flipped bits must cause each of these errors; otherwise the test would check only one path.
        #expect(codes.isSuperset(of: [.damaged, .unsupported]))
    }

    @Test("no file with one flipped bit in its header gives a key to a passphrase")
    func flippedBitsUnderPassphrase() throws {
        let file = try AgeHeader.bytes(
            fileKey: AgeFixtures.fileKey,
            for: [.passphrase(AgeFixtures.secret("right"), workFactor: 2)]
        )
        let codes = try Self.codes(ofFlipsIn: file, with: [Self.passphrase("right", limit: 4)])
        #expect(codes.isSuperset(of: [.damaged, .unsupported, .wrongKey, .tooCostly]))
    }

    /// Flips each bit of the header, expects an error or a request for more bytes, and returns the errors' codes.
    private static func codes(
        ofFlipsIn file: [UInt8],
        with identities: [AgeIdentity]
    ) throws -> Set<CipherError.Code> {
        let header = try #require(try AgeHeader.read(file))
        var codes: Set<CipherError.Code> = []
        for bit in 0..<(header.length * 8) {
            var flipped = file
            flipped[bit / 8] ^= 1 << (bit % 8)
            do throws(CipherError) {
                guard let header = try AgeHeader.read(flipped) else { continue }
                _ = try header.fileKey(for: identities)
                Issue.record("bit \(bit) makes no difference")
            } catch {
                codes.insert(error.code)
            }
        }
        return codes
    }

    private static func scryptHeader(workFactor: String) -> [UInt8] {
        AgeFixtures.header(
            "-> scrypt AAAAAAAAAAAAAAAAAAAAAA \(workFactor)\n\(String(repeating: "A", count: 43))\n"
        )
    }
}
