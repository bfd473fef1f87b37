// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Testing
import WeirCipher

@testable import WeirCommand

@Suite("The options of decryption")
struct CipherOptionTests {
    private static let digits = "000102030405060708090a0b0c0d0e0f"
    private static let vector = Array(UInt8(0)...15)

    private static func settings(
        _ words: String,
        _ environment: [String: String] = [:]
    ) throws -> CipherSettings? {
        try CipherOptions.parse(words.split(separator: " ").map(String.init))
            .settings(ProgramEnvironment(environment))
    }

    private static func failure(_ words: String, _ environment: [String: String] = [:]) -> String? {
        do {
            _ = try self.settings(words, environment)
            return nil
        } catch let error as ValidationError {
            return error.message
        } catch {
            return CipherOptions.message(for: error)
        }
    }

    private static func aes(_ settings: CipherSettings?) -> AESFormat? {
        switch settings?.format {
        case .aes(let format), .openssl(let format, _, _): format
        case .age, nil: nil
        }
    }

    @Test("choose no decryption unless one is given")
    func nothing() throws {
        #expect(try Self.settings("") == nil)
        // Variables that name no format apply only when an option names one.
        #expect(try Self.settings("", ["WEIR_KEY_FILE": "k", "WEIR_IV": "prefix"]) == nil)
    }

    @Test("have the usual defaults of publishers")
    func defaults() throws {
        #expect(
            try Self.settings("--decrypt aes-ctr --key-file k")
                == CipherSettings(key: .file("k"), format: .aes(AESFormat(.ctr)))
        )
        #expect(
            try Self.settings("--decrypt aes-cbc --key-env KEY")
                == CipherSettings(
                    key: .environment("KEY"),
                    format: .aes(AESFormat(.cbc, padding: .pkcs7))
                )
        )
        #expect(Self.aes(try Self.settings("--decrypt aes-ecb --key-file k"))?.mode == .ecb)
        #expect(
            try Self.settings("--decrypt age --key-file k")
                == CipherSettings(key: .file("k"), format: .age)
        )
    }

    @Test("describe a format completely")
    func all() throws {
        let ctr = try Self.settings(
            "--decrypt aes-ctr --key-file k --iv \(Self.digits) --counter 18446744073709551615 --plain-header 1KiB"
        )
        #expect(
            Self.aes(ctr)
                == AESFormat(
                    .ctr,
                    initialVector: .bytes(Self.vector),
                    initialCounter: .max,
                    plainHeaderLength: 1024
                )
        )
        let nonce = try Self.settings("--decrypt aes-ctr --key-file k --iv 0001020304050607")
        #expect(Self.aes(nonce)?.initialVector == .bytes(Array(0...7)))
        let cbc = try Self.settings("--decrypt aes-cbc --key-file k --iv prefix --padding none")
        #expect(Self.aes(cbc) == AESFormat(.cbc, initialVector: .prefix, padding: .none))
    }

    @Test(
        "derive a key as openssl enc does",
        arguments: [
            ("pbkdf2", .pbkdf2(iterations: 10_000, .sha256)),
            ("pbkdf2:600000", .pbkdf2(iterations: 600_000, .sha256)),
            ("pbkdf2:sha512", .pbkdf2(iterations: 10_000, .sha512)),
            ("pbkdf2:1:md5", .pbkdf2(iterations: 1, .md5)),
            ("bytes-to-key", .bytesToKey(.sha256)), ("bytes-to-key:md5", .bytesToKey(.md5)),
            ("bytes-to-key:sha512", .bytesToKey(.sha512)),
            ("bytes-to-key:sha1", .bytesToKey(.sha1)),
            ("pbkdf2:7:sha384", .pbkdf2(iterations: 7, .sha384)),
        ] as [(String, KeyDerivation)]
    )
    func derivations(_ text: String, _ derivation: KeyDerivation) throws {
        let settings = try Self.settings("--decrypt aes-ctr --key-file k --kdf \(text)")
        #expect(
            settings?.format
                == .openssl(AESFormat(.ctr, initialVector: .fromKey), derivation, keyLength: 32)
        )
        let short = try Self.settings("--decrypt aes-ecb --key-file k --key-bits 128 --kdf \(text)")
        guard case .openssl(_, _, let length) = short?.format else {
            Issue.record("no AES of a passphrase")
            return
        }
        #expect(length == 16)
    }

    @Test(
        "refuse invalid values",
        arguments: [
            "--decrypt aes", "--decrypt AES-CTR", "--key-bits 512", "--padding zero",
            "--counter -1", "--counter 18446744073709551616", "--plain-header some", "--iv 0",
            "--iv 0g", "--iv \(digits)00", "--kdf pbkdf2:0", "--kdf pbkdf2:100000001",
            "--kdf pbkdf2:-1", "--kdf pbkdf2:+1", "--kdf pbkdf2:", "--kdf pbkdf2:1:sha224",
            "--kdf pbkdf2:sha256:1", "--kdf bytes-to-key:1", "--kdf scrypt", "--kdf pbkdf2:1:md5:x",
        ]
    )
    func wrongValues(_ words: String) {
        #expect(throws: (any Error).self) {
            try CipherOptions.parse(words.split(separator: " ").map(String.init))
        }
    }

    @Test(
        "refuse contradicting options, and say what to write",
        arguments: [
            ("--decrypt aes-ctr", "--decrypt needs a key", "--key-file FILE or --key-env VARIABLE"),
            (
                "--decrypt age --key-file k --key-env K", "--key-env contradicts --key-file",
                "leave one"
            ),
            ("--key-file k", "--key-file needs --decrypt", "aes-ctr, aes-cbc"),
            ("--key-env K", "--key-env needs --decrypt", "aes-cbc, aes-ecb, age"),
            ("--iv prefix", "--iv needs", "--decrypt"),
            ("--counter 1", "--counter needs", "--decrypt"),
            ("--plain-header 1", "--plain-header needs", "--decrypt"),
            ("--padding none", "--padding needs", "--decrypt"),
            ("--kdf pbkdf2", "--kdf needs", "--decrypt"),
            ("--key-bits 128", "--key-bits needs", "--decrypt"),
            ("--decrypt age --key-file k --iv prefix", "--iv does not apply to age", "leave it"),
            ("--decrypt age --key-file k --kdf pbkdf2", "--kdf does not apply to age", "leave it"),
            (
                "--decrypt age --key-file k --plain-header 1", "--plain-header does not apply",
                "leave it"
            ),
            ("--decrypt aes-ecb --key-file k --iv prefix", "--iv does not apply to aes-ecb", ""),
            ("--decrypt aes-cbc --key-file k --counter 1", "--counter does not apply to aes", ""),
            ("--decrypt aes-ctr --key-file k --padding none", "--padding does not apply", ""),
            ("--decrypt aes-cbc --key-file k --iv 0011223344556677", "--iv must be 16 bytes", ""),
            ("--decrypt aes-ctr --key-file k --iv 00112233445566", "--iv must be 8 to 16", ""),
            (
                "--decrypt aes-ctr --key-file k --key-bits 128", "--key-bits needs",
                "needs --kdf"
            ),
            (
                "--decrypt aes-ctr --key-file k --kdf pbkdf2 --iv prefix", "--iv contradicts --kdf",
                "leave one"
            ),
        ]
    )
    func conflicts(_ words: String, _ start: String, _ part: String) {
        let message = Self.failure(words)
        #expect(message?.hasPrefix(start) == true, "\(message ?? "no error")")
        #expect(message?.contains(part) == true, "\(message ?? "no error")")
        #expect(message?.hasSuffix(".") == true)
    }

    @Test("never repeat a key that the user gave instead of a variable's name")
    func keyAsVariable() {
        for key in [Self.digits, "AAECAwQFBgcICQoLDA0ODw==", "a b", "k-y", "é"] {
            let message = Self.failure("--decrypt aes-ctr --key-env \(key.prefix { $0 != " " })-")
            #expect(message?.hasPrefix("--key-env must be the name of a variable") == true)
            #expect(message?.contains(key) == false)
        }
    }

    @Test("can be variables, and the command line overrides them")
    func variables() throws {
        let environment = [
            "WEIR_DECRYPT": "aes-ctr", "WEIR_KEY_FILE": "k", "WEIR_IV": Self.digits,
            "WEIR_COUNTER": "3", "WEIR_PLAIN_HEADER": "16",
        ]
        let format = AESFormat(
            .ctr,
            initialVector: .bytes(Self.vector),
            initialCounter: 3,
            plainHeaderLength: 16
        )
        #expect(
            try Self.settings("", environment)
                == CipherSettings(key: .file("k"), format: .aes(format))
        )
        let other = try Self.settings("--key-env K --iv prefix --counter 0", environment)
        #expect(other?.key == .environment("K"))
        #expect(Self.aes(other) == AESFormat(.ctr, initialVector: .prefix, plainHeaderLength: 16))
        // When an option names another format, the variables say only where the key is.
        #expect(
            try Self.settings("--decrypt age", environment)
                == CipherSettings(key: .file("k"), format: .age)
        )
        let passphrase = try Self.settings(
            "",
            [
                "WEIR_DECRYPT": "aes-cbc", "WEIR_KEY_ENV": "P", "WEIR_KDF": "pbkdf2",
                "WEIR_KEY_BITS": "192", "WEIR_PADDING": "none",
            ]
        )
        #expect(
            passphrase?.format
                == .openssl(
                    AESFormat(.cbc, initialVector: .fromKey, padding: .none),
                    .pbkdf2(),
                    keyLength: 24
                )
        )
    }

    @Test(
        "name the variable with a wrong value",
        arguments: [
            ("", "WEIR_DECRYPT", "rot13", "WEIR_DECRYPT"),
            ("--decrypt aes-ctr --key-file k", "WEIR_IV", "xyz", "WEIR_IV"),
            ("--decrypt age --key-file k", "WEIR_IV", "prefix", "WEIR_IV does not apply to age"),
            ("--decrypt aes-ctr --key-file k", "WEIR_KEY_BITS", "128", "WEIR_KEY_BITS needs --kdf"),
            ("", "WEIR_DECRYPT", "age", "WEIR_DECRYPT needs a key"),
        ]
    )
    func wrongVariables(_ words: String, _ name: String, _ value: String, _ part: String) {
        let message = Self.failure(words, [name: value])
        #expect(message?.contains(part) == true, "\(message ?? "no error")")
    }
}
