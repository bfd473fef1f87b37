// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCipher
import WeirTestKit

@testable import WeirCommand

@Suite("The content of a key file")
struct KeyTextTests {
    private static func text(_ bytes: some Collection<UInt8>) -> KeyText {
        KeyText(SecretBytes(bytes), from: .file("film.key"))
    }

    private static func key(_ bytes: some Collection<UInt8>) -> [UInt8]? {
        (try? self.text(bytes).keyBytes())?.withUnsafeBytes(Array.init)
    }

    private static func failure(
        _ bytes: some Collection<UInt8>,
        _ body: (KeyText) throws -> Void
    ) -> CipherError? {
        do {
            try body(self.text(bytes))
            return nil
        } catch {
            return error as? CipherError
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        PacketLine.hexadecimal(bytes)
    }

    @Test("is a key as its bytes, in hexadecimal or in Base64", arguments: [16, 24, 32], 0..<20)
    func forms(_ size: Int, _ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let key = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        #expect(Self.key(key) == key)
        let digits = Self.hexadecimal(key)
        let base64 = Data(key).base64EncodedString()
        let url = base64.replacing("+", with: "-").replacing("/", with: "_")
        for text in [digits, digits.uppercased(), base64, url] {
            for blanks in ["", "\n", "\r\n", " \t\n\n"] {
                #expect(Self.key("\(text)\(blanks)".utf8) == key, "seed \(seed)")
                #expect(Self.key("\(blanks)\(text)".utf8) == key, "seed \(seed)")
            }
            #expect(Self.key(text.replacing("=", with: "").utf8) == key, "seed \(seed)")
        }
    }

    @Test("is decoded where possible, though its characters could be a key, too")
    func ambiguous() {
        // 32 characters: 16 bytes in hexadecimal, 24 bytes in Base64.
        let digits = "00112233445566778899aabbccddeeff"
        #expect(Self.key(digits.utf8)?.count == 16)
        // With a letter beyond f, the text is Base64.
        let letters = "00112233445566778899aabbccddeefg"
        #expect(Self.key(letters.utf8) == Data(base64Encoded: letters).map(Array.init))
        // The text is in neither form, so its characters are the key.
        let raw = "00112233445566778899aabbccddee.g"
        #expect(Self.key(raw.utf8) == Array(raw.utf8))
        // The Base64 gives no valid key length, so the characters are the key.
        #expect(Self.key("AAAAAAAAAAAAAAAA".utf8) == Array("AAAAAAAAAAAAAAAA".utf8))
        // These 24 characters are also the Base64 of 18 bytes, which is no valid key length.
        #expect(Self.key("AAAAAAAAAAAAAAAAAAAAAAAA".utf8)?.count == 24)
        // The padding of a 16-byte key; in the second text, bits are set behind the key's end.
        #expect(Self.key("AAAAAAAAAAAAAAAAAAAAAA==".utf8) == [UInt8](repeating: 0, count: 16))
        #expect(Self.key("AAAAAAAAAAAAAAAAAAAAAB==".utf8)?.count == 24)
        // A key in plain bytes may end with a byte that looks like white space.
        let blank = [UInt8](repeating: 0xFF, count: 15) + [0x0A]
        #expect(Self.key(blank) == blank)
    }

    @Test(
        "is a key as its bytes, though a line end follows it",
        arguments: [16, 24, 32],
        0..<20
    )
    func rawWithLineEnd(_ size: Int, _ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var key = (0..<size).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        #expect(Self.key(key + [0x0A]) == key, "seed \(seed)")
        #expect(Self.key(key + [0x0D, 0x0A]) == key, "seed \(seed)")
        // The reader removes one line end, and nothing else.
        #expect(Self.key(key + [0x0A, 0x0A]) == nil, "seed \(seed)")
        #expect(Self.key(key + [0x20]) == nil, "seed \(seed)")
        #expect(Self.key(key + [0x0D]) == nil, "seed \(seed)")
        // The carriage return is the key's own last byte.
        key[size - 1] = 0x0D
        #expect(Self.key(key + [0x0A]) == key, "seed \(seed)")
    }

    @Test(
        "is refused as an AES key if it is another kind of key, and the error names that kind",
        arguments: [
            ("# created\n\(identity)\n", "an age identity"),
            ("AGE-PLUGIN-YUBIKEY-1HUSH\n", "an age plugin"),
            ("-----BEGIN OPENSSH PRIVATE KEY-----\nhush\n", "a private key of SSH"),
            ("ssh-ed25519 AAAAHUSH me@host\n", "a public key of SSH"),
        ]
    )
    func otherKinds(_ text: String, _ kind: String) {
        let error = Self.failure(text.utf8) { _ = try $0.key() }
        #expect(error?.code == .invalidKey)
        #expect(error?.message.contains(kind) == true)
        #expect(error?.message.contains("AES key") == true)
        #expect(error?.message.lowercased().contains("hush") == false)
    }

    @Test(
        "is refused if it belongs to another program than age-keygen, and the error says what to do",
        arguments: [
            ("AGE-PLUGIN-YUBIKEY-1HUSH", ["the age plugin age-plugin-yubikey", "age itself"]),
            ("# a comment\nAGE-PLUGIN-SE-1HUSH\n", ["the age plugin age-plugin-se", "age-keygen"]),
            (
                "\(identity)\nAGE-PLUGIN-FIDO2-HMAC-1HUSH\n",
                ["age-plugin-fido2-hmac", "age itself"]
            ),
            ("AGE-PLUGIN-HUSH", ["an age plugin"]),
            (
                "-----BEGIN OPENSSH PRIVATE KEY-----\nhush\n",
                ["private key of SSH", "age -d -i KEY"]
            ),
            ("-----BEGIN RSA PRIVATE KEY-----\nhush\n", ["private key of SSH", "age-keygen"]),
            ("PuTTY-User-Key-File-3: hush\n", ["private key of SSH"]),
            ("ssh-ed25519 AAAAHUSH me@host\n", ["public key of SSH", "age-keygen"]),
            ("ssh-rsa AAAAHUSH me@host\n", ["public key of SSH"]),
            ("-----BEGIN PGP PRIVATE KEY BLOCK-----\nhush\n", ["OpenPGP", "age-keygen"]),
        ]
    )
    func foreignIdentities(_ text: String, _ parts: [String]) {
        let error = Self.failure(text.utf8) { _ = try $0.identities() }
        #expect(error?.code == .invalidKey)
        for part in parts {
            #expect(error?.message.contains(part) == true, "\(error?.message ?? "")")
        }
        #expect(error?.message.hasPrefix("The key file film.key holds ") == true)
        #expect(error?.message.lowercased().contains("hush") == false)
    }

    @Test(
        "is refused if it holds no key",
        arguments: [
            "hush", "hush-hush-hush-hush-hush-hush-hush-hush-hush", "\n\n",
            "0011223344556677 8899aabbccddeeff0", "00112233445566778899aabbccddeef",
            "0x00112233445566778899aabbccddeeff", "AAAAAAAAAAAAAAAAAAAAAA=",
            "AAAAAAAAAAAAAAAAAAAAAA===", "AAAAAAAAAAAAAAAAAAAAA=A=A", "AAAAAAAAAAAAAAAAAAAAA+_=\n ",
            "00112233445566778899aabbccddeeff\n00112233445566778899aabbccddeeff",
        ]
    )
    func noKeys(_ text: String) {
        let error = Self.failure(text.utf8) { _ = try $0.key() }
        #expect(error?.code == .invalidKey)
        let message = error?.message ?? ""
        #expect(message.hasPrefix("The key file film.key holds no AES key"))
        for part in ["16, 24 or 32 bytes", "hexadecimal", "Base64"] {
            #expect(message.contains(part))
        }
        #expect(!message.contains("hush"))
        #expect(!message.contains("0011"))
        #expect(ExitStatus(for: error ?? CipherError(.damaged, "")) == .usage)
    }

    @Test("never gives a key of an impossible size, whatever its bytes", arguments: 0..<10)
    func anything(_ seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let alphabet = Array("0aAfFgG+/-_= \n".utf8) + [0, 0xFF]
        for _ in 0..<2000 {
            let count = Int.random(in: 0..<70, using: &generator)
            let bytes = (0..<count).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
            }
            let size = Self.key(bytes)?.count
            #expect(size == nil || [16, 24, 32].contains(size), "seed \(seed)")
        }
    }

    @Test(
        "is a passphrase of age: the only line with its blanks",
        arguments: [
            ("pass", "pass"), ("pass\n", "pass"), ("pass\r\n", "pass"), (" p w \n", " p w "),
            ("pass\n\n", "pass"), ("пароль\n", "пароль"),
            ("age1 is no recipient", "age1 is no recipient"),
        ]
    )
    func passphrases(_ text: String, _ passphrase: String) throws {
        let bytes = try Self.text(text.utf8).passphrase().withUnsafeBytes(Array.init)
        #expect(bytes == Array(passphrase.utf8))
    }

    @Test(
        "is a passphrase of openssl: the first line with a carriage return",
        arguments: [
            ("pass", "pass"), ("pass\r\nmore", "pass\r"), (" p w \n", " p w "), ("a\rb\n", "a\rb"),
        ]
    )
    func opensslPassphrases(_ text: String, _ passphrase: String) throws {
        let bytes = try Self.text(text.utf8).opensslPassphrase().withUnsafeBytes(Array.init)
        #expect(bytes == Array(passphrase.utf8))
    }

    @Test("is refused as a passphrase of age, if it is not one line of text")
    func noLines() {
        let wrong: [[UInt8]] = [
            [0x41, 0x0A, 0x42], [0x41, 0x07, 0x42], [0xFF, 0xFE, 0x41], Array("hush\nhush".utf8),
        ]
        for bytes in wrong {
            let error = Self.failure(bytes) { _ = try $0.passphrase() }
            #expect(error?.code == .invalidKey)
            #expect(error?.message.contains("hush") == false)
        }
    }

    @Test("a key that the user gave instead of a file's name is recognised")
    func names() {
        let keys = [
            "AGE-SECRET-KEY-1WZG6LJ795CEYFUNCJC7EGYKVLJ60YWW8APMMN2UH6Z22ZY304J8QNF64PS",
            "00112233445566778899aabbccddeeff", "MDEyMzQ1Njc4OWFiY2RlZg==",
        ]
        for key in keys { #expect(Self.text(key.utf8).looksLikeKey) }
        for name in ["film.key", "/etc/keys/film", "keys"] {
            #expect(!Self.text(name.utf8).looksLikeKey)
        }
    }

    @Test("has no passphrase if its first line is empty", arguments: ["\n", "\r\n", "\nhush"])
    func noPassphrases(_ text: String) {
        let error = Self.failure(text.utf8) { _ = try $0.passphrase() }
        #expect(error?.code == .invalidKey)
        #expect(error?.message.contains("hush") == false)
    }

    // age-keygen made this identity for the test.
    static let identity =
        "AGE-SECRET-KEY-1WZG6LJ795CEYFUNCJC7EGYKVLJ60YWW8APMMN2UH6Z22ZY304J8QNF64PS"

    @Test("is an identity file, or else a passphrase of age")
    func identities() throws {
        let text = "# created: 2026-11-21\n# public key: age1…\r\n\(Self.identity)\n\n"
        #expect(try Self.text(text.utf8).identities().map(\.description) == ["an age identity"])
        let two = "\(Self.identity)\n\(Self.identity)\n"
        #expect(try Self.text(two.utf8).identities().count == 2)
        let passphrase = try Self.text("correct horse\r\n\n".utf8).identities()
        #expect(passphrase.map(\.description) == ["a passphrase"])
        let recipients = try Self.text(text.utf8).recipients().map(\.description)
        #expect(recipients == ["age1nc28uuqrvgkn9al365u899earzvzfxjcj8w5yksjs4rww7ucsssswu5vl3"])
        let secret = try Self.text("correct horse".utf8).recipients()
        #expect(secret.map(\.description) == ["a passphrase"])
    }

    @Test(
        "is refused if it would be a poor passphrase",
        arguments: [
            "age1yqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqszqgpqyqsq6gkjxq",
            "ssh-ed25519 AAAA hush", "-----BEGIN OPENSSH PRIVATE KEY-----\nhush",
            "age-encryption.org/v1\nhush", "-----BEGIN AGE ENCRYPTED FILE-----\nhush",
            "AGE-PLUGIN-YUBIKEY-1HUSH", "age-secret-key-1hush", "AGE-SECRET-KEY-1HUSH",
            "AGE-SECRET-KEY-PQ-1HUSH", "# public key: age1hush\n",
        ]
    )
    func poorPassphrases(_ text: String) {
        for body in [
            { _ = try $0.identities() }, { _ = try $0.recipients() },
        ] as [(KeyText) throws -> Void] {
            let error = Self.failure(text.utf8, body)
            #expect(error != nil)
            #expect(error?.message.lowercased().contains("hush") == false)
        }
    }
}
