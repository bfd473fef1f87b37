// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirCipher

@Suite("Reading the header of an age file")
struct AgeHeaderParserTests {
    private static let share = String(repeating: "A", count: 43)
    private static let valid = "-> X25519 \(Self.share)\n\(Self.share)\n"

    @Test(
        "a file cut within its header gives no header yet, and bytes behind the header change nothing",
        arguments: [
            AgeFixtures.oneRecipient, AgeFixtures.twoRecipients, AgeFixtures.strangerFirst,
            AgeFixtures.underPassphrase,
        ]
    )
    func truncated(_ file: [UInt8]) throws {
        let header = try #require(try AgeHeader.read(file))
        for count in 0..<header.length {
            #expect(try AgeHeader.read(Array(file.prefix(count))) == nil)
        }
        for count in header.length..<file.count {
            #expect(try AgeHeader.read(Array(file.prefix(count))) == header)
        }
        #expect(file[header.length - 1] == UInt8(ascii: "\n"))
        #expect(header.authenticated.suffix(4) == Array("\n---".utf8))
        #expect(header.code.count == 32)
    }

    @Test(
        "a file of another format is refused as soon as its bytes show that",
        arguments: [
            ("age-encryption.org/v2\n", "does not have version 1"),
            ("age-encryption.org/v10\n", "does not have version 1"),
            ("age-encryption.org/v1 \n", "does not have version 1"),
            ("age-encryption.org/\n", "does not have version 1"),
            ("-----BEGIN AGE ENCRYPTED FILE-----\nYWdl\n", "armored"),
            ("\r\n  -----BEGIN AGE ENCRYPTED FILE-----\r\nYWdl\r\n", "armored"),
            ("-----BEGIN AGE", "armored"),
            ("-----BEGIN PGP MESSAGE-----\n", "not an age file"),
            ("Salted__12345678", "not an age file"),
            ("\n", "not an age file"),
            ("\0", "not an age file"),
            (" age-encryption.org/v1\n", "not an age file"),
            ("Age-encryption.org/v1\n", "not an age file"),
            ("age-encryption.com/v1\n", "not an age file"),
        ]
    )
    func otherFormats(_ text: String, _ part: String) {
        let error = #expect(throws: CipherError.self) { try AgeHeader.read(Array(text.utf8)) }
        #expect(error?.code == .unsupported)
        #expect(error?.message.contains(part) == true, "\(String(describing: error))")
    }

    @Test(
        "a header that breaks a rule of the format is damaged",
        arguments: [
            // The structure.
            "", "\n", "->\n", "-> \n\n", "->X25519 A\n\n", "--> a\n\n", "--\n", "a\n",
            "-> a\n-> b\n\n", "-> a  b\n\n", "->  a\n\n", "-> a \n\n", "-> a\tb\n\n",
            "-> \u{7F}\n\n", "-> é\n\n", "-> a\0\n\n",
            // Line ends.
            "-> a\r\n\r\n", "-> a\n\r\n",
            // Bodies.
            "-> a\nA\n", "-> a\nAA==\n", "-> a\nAB\n", "-> a\nA A\n", "-> a\n_w\n",
            "-> a\n\(String(repeating: "A", count: 64))\n",
            "-> a\n\(String(repeating: "A", count: 65))\n\n",
            "-> a\n\(String(repeating: "A", count: 68))\n",
            "-> a\n\n\n", "-> a\nAAAA\nAAAA\n",
            // X25519.
            "-> X25519\n\(Self.share)\n", "-> X25519 \(Self.share) a\n\(Self.share)\n",
            "-> X25519 \(Self.share)\n\n", "-> X25519 \(Self.share)\n\(Self.share.dropLast())\n",
            "-> X25519 \(Self.share)\n\(Self.share)A\n",
            "-> X25519 \(Self.share.dropLast())\n\(Self.share)\n",
            "-> X25519 \(Self.share.dropLast())B\n\(Self.share)\n",
            "-> X25519 \(Self.share)=\n\(Self.share)\n",
            "-> X25519 \(Self.share)A\n\(Self.share)\n",
        ]
    )
    func malformed(_ stanzas: String) {
        let error = #expect(throws: CipherError.self) {
            try AgeHeader.read(AgeFixtures.header(stanzas))
        }
        #expect(error?.code == .damaged, "\(String(describing: error))")
        #expect(error?.offset != nil)
    }

    @Test(
        "a passphrase's part that breaks a rule is damaged",
        arguments: [
            "scrypt", "scrypt AAAAAAAAAAAAAAAAAAAAAA", "scrypt AAAAAAAAAAAAAAAAAAAAAA 1 1",
            "scrypt AAAAAAAAAAAAAAAAAAAAA 1", "scrypt AAAAAAAAAAAAAAAAAAAAAB 1",
            "scrypt AAAAAAAAAAAAAAAAAAAAAA== 1", "scrypt AAAAAAAAAAAAAAAAAAAAAAA 1",
            "scrypt AAAAAAAAAAAAAAAAAAAAAA 0", "scrypt AAAAAAAAAAAAAAAAAAAAAA 01",
            "scrypt AAAAAAAAAAAAAAAAAAAAAA +1", "scrypt AAAAAAAAAAAAAAAAAAAAAA -1",
            "scrypt AAAAAAAAAAAAAAAAAAAAAA 64", "scrypt AAAAAAAAAAAAAAAAAAAAAA 1e",
            "scrypt AAAAAAAAAAAAAAAAAAAAAA 0x1",
            "scrypt AAAAAAAAAAAAAAAAAAAAAA 18446744073709551634",
        ]
    )
    func malformedPassphrase(_ arguments: String) {
        let error = #expect(throws: CipherError.self) {
            try AgeHeader.read(AgeFixtures.header("-> \(arguments)\n\(Self.share)\n"))
        }
        #expect(error?.code == .damaged, "\(String(describing: error))")
    }

    @Test("a passphrase beside another recipient is damaged, whatever comes first")
    func passphraseBesideOthers() {
        let passphrase = "-> scrypt AAAAAAAAAAAAAAAAAAAAAA 1\n\(Self.share)\n"
        for stanzas in [
            passphrase + passphrase, passphrase + Self.valid, Self.valid + passphrase,
            "-> a\n\n" + passphrase, passphrase + "-> a\n\n",
        ] {
            let error = #expect(throws: CipherError.self) {
                try AgeHeader.read(AgeFixtures.header(stanzas))
            }
            #expect(error?.code == .damaged)
            #expect(error?.message.contains("only recipient") == true)
        }
    }

    @Test("a header whose authentication code is not 32 bytes in strict base64 is damaged")
    func malformedCode() {
        for code in [
            "", " ", Self.share + " ", Self.share + "=", Self.share + "A",
            String(Self.share.dropLast()),
            Self.share.dropLast() + "B", " " + Self.share, Self.share + "\r",
        ] {
            let text = "age-encryption.org/v1\n\(Self.valid)--- \(code)\n"
            let error = #expect(throws: CipherError.self) { try AgeHeader.read(Array(text.utf8)) }
            #expect(error?.code == .damaged)
        }
    }

    @Test("a header damaged by a text-mode transfer is refused, and the sentence says so")
    func lineEndings() throws {
        let file = AgeFixtures.oneRecipient
        let header = try #require(try AgeHeader.read(file))
        for (position, byte) in file.prefix(header.length).enumerated()
        where byte == UInt8(ascii: "\n") {
            var converted = file
            converted.insert(UInt8(ascii: "\r"), at: position)
            let error = #expect(throws: CipherError.self) { try AgeHeader.read(converted) }
            #expect(error?.code == .damaged)
            #expect(error?.offset == Int64(position))
            #expect(error?.message.contains("CR LF") == true)
        }
    }

    @Test("unknown kinds of recipients are skipped, with any arguments and bodies")
    func unknownKinds() throws {
        let line = String(repeating: "A", count: 64)
        for stanza in [
            "-> a\n\n", "-> !~ -> --- a=b\nAA\n", "-> x25519\n\(line)\n\(line)\n\n",
            "-> X25519- 1\n\(line)\nAA\n", "-> scryptic\n\n",
        ] {
            let before = try AgeHeader.read(AgeFixtures.header(stanza + Self.valid))
            let after = try AgeHeader.read(AgeFixtures.header(Self.valid + stanza))
            for header in [before, after] {
                guard case .publicKeys(let keys) = header?.recipients else {
                    Issue.record("no public keys")
                    continue
                }
                #expect(keys.map(\.share) == [[UInt8](repeating: 0, count: 32)])
            }
        }
    }

    @Test("a header may have 64 KiB and no byte more, whatever fills it")
    func longest() throws {
        let limit = AgeHeader.largestLength
        let rest = AgeFixtures.header(Self.valid + "-> \n\n").count
        func filled(_ count: Int) -> [UInt8] {
            let argument = String(repeating: "a", count: count - rest)
            return AgeFixtures.header(Self.valid + "-> \(argument)\n\n")
        }
        #expect(try AgeHeader.read(filled(limit))?.length == limit)
        #expect(try AgeHeader.read(filled(limit) + [0, 1, 2])?.length == limit)
        #expect(try AgeHeader.read(Array(filled(limit + 1).prefix(limit - 1))) == nil)
        let start = Array("age-encryption.org/v1\n".utf8)
        let stanza = Array("-> a\nAAAA\n".utf8)
        for bytes in [
            filled(limit + 1), Array(filled(limit + 1).prefix(limit)), filled(2 * limit),
            start + (0..<limit).flatMap { _ in stanza },
            start + stanza.prefix(5) + [UInt8](repeating: UInt8(ascii: "A"), count: limit),
        ] {
            let error = #expect(throws: CipherError.self) { try AgeHeader.read(bytes) }
            #expect(error?.code == .tooCostly || error?.code == .damaged)
        }
        let error = #expect(throws: CipherError.self) { try AgeHeader.read(filled(limit + 1)) }
        #expect(error?.code == .tooCostly)
        #expect(error?.message.contains("65536") == true)
    }

    @Test("no input traps, and the limit ends every wait", arguments: 0..<200)
    func neverTraps(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let pieces = [
            "age-encryption.org/v1\n", "-> ", "--- ", "X25519 ", "scrypt ", Self.share, "\n", "A",
            " ",
            "18", "\r", "\0", String(repeating: "A", count: 64), "=", "-", "\u{80}",
        ]
        var bytes = AgeHeader.versionLine
        for _ in 0..<Int.random(in: 0..<30, using: &random) {
            bytes.append(contentsOf: pieces.randomElement(using: &random)?.utf8.map { $0 } ?? [])
        }
        for count in 0...bytes.count { _ = try? AgeHeader.read(Array(bytes.prefix(count))) }
        bytes.append(contentsOf: [UInt8](repeating: 0x41, count: AgeHeader.largestLength))
        #expect(throws: CipherError.self, "seed \(seed)") { try AgeHeader.read(bytes) }
    }
}
