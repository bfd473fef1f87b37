// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCipher

@testable import WeirCommand

@Suite("Encrypted sources in the configuration")
struct CipherConfigurationTests {
    private static func parse(_ text: String) throws(CommandError) -> Configuration {
        try Configuration.parse(
            Array(text.utf8),
            file: "/etc/w/c.toml",
            isPrivate: false,
            ProgramEnvironment(["HOME": "/home/me"])
        )
    }

    private static let services = [
        "service = \"files\"\npath = \"/a\"", "service = \"http\"\nurl = \"http://h/\"",
        "service = \"http\"\nurl-command = [\"a\"]", "service = \"webdav\"\nurl = \"http://h/\"",
        "service = \"yandex-disk\"", "service = \"yandex-webdav\"",
    ]

    @Test("every service accepts every key", arguments: services)
    func keys(_ service: String) throws {
        let text = """
            [sources.a]
            \(service)
            decrypt = "aes-ctr"
            key-file = "film.key"
            iv = "000102030405060708090a0b0c0d0e0f"
            counter = 7
            plain-header = "1KiB"
            [sources.b]
            \(service)
            decrypt = "aes-cbc"
            key-env = "PASS"
            padding = "none"
            kdf = "pbkdf2:1000"
            key-bits = 128
            plain-header = 5
            [sources.c]
            \(service)
            decrypt = "age"
            key-file = "~/id.key"
            [sources.d]
            \(service)
            """
        let sources = try Self.parse(text).sources
        let ctr = AESFormat(
            .ctr,
            initialVector: .bytes(Array(0...15)),
            initialCounter: 7,
            plainHeaderLength: 1024
        )
        #expect(
            sources[0].cipher
                == CipherSettings(key: .file("/etc/w/film.key"), format: .aes(ctr))
        )
        let cbc = AESFormat(.cbc, initialVector: .fromKey, padding: .none, plainHeaderLength: 5)
        #expect(
            sources[1].cipher
                == CipherSettings(
                    key: .environment("PASS"),
                    format: .openssl(cbc, .pbkdf2(iterations: 1000), keyLength: 16)
                )
        )
        #expect(sources[2].cipher == CipherSettings(key: .file("/home/me/id.key"), format: .age))
        #expect(sources[3].cipher == nil)
    }

    @Test(
        "errors name file, line and column, and the expected value",
        arguments: [
            ("decrypt = 1", "5:1: sources.x.decrypt must be one of aes-ctr", "age"),
            (
                "decrypt = \"aes-crt\"", "5:1: sources.x.decrypt is not a format",
                "did you mean \"aes-ctr\"?"
            ),
            ("decrypt = \"rot13\"", "is not a format that Weir knows; There are", "aes-ecb"),
            (
                "decrypt = \"age\"", "5:1: sources.x.decrypt needs a key",
                "add key-file = \"FILE\" or key-env = \"VARIABLE\""
            ),
            ("key-file = 5", "5:1: sources.x.key-file must be a path", "quotes"),
            ("\nkey-file = \"k\"", "6:1: sources.x.key-file needs decrypt", "age"),
            ("iv = \"prefix\"", "5:1: sources.x.iv needs", "decrypt"),
            (
                "decrypt = \"age\"\nkey-file = \"k\"\nkey-env = \"K\"",
                "7:1: sources.x.key-env contradicts key-file", "leave one"
            ),
            (
                "decrypt = \"age\"\nkey-env = \"hush hush\"",
                "6:1: sources.x.key-env must be the name", "never the key"
            ),
            (
                "decrypt = \"age\"\nkey-env = \"K\"\n  iv = \"prefix\"",
                "7:3: sources.x.iv does not apply to age", "leave it out"
            ),
            (
                "decrypt = \"aes-ctr\"\nkey-env = \"K\"\niv = 00", "7:6: a number has no leading 0",
                "quotes"
            ),
            (
                "decrypt = \"aes-ctr\"\nkey-env = \"K\"\niv = 1234567890123456",
                "7:1: sources.x.iv must be hexadecimal digits in quotes", "prefix"
            ),
            (
                "decrypt = \"aes-cbc\"\nkey-env = \"K\"\niv = \"0011223344556677\"",
                "7:1: sources.x.iv must be 16 bytes", "32 hexadecimal"
            ),
            ("counter = -1", "sources.x.counter must be a whole number", "0 or more"),
            ("counter = true", "sources.x.counter must be a whole number", "0 or more"),
            ("plain-header = \"some\"", "sources.x.plain-header must be a size", "1KiB"),
            ("padding = \"zero\"", "sources.x.padding must be", "\"pkcs7\" or \"none\""),
            ("kdf = \"scrypt\"", "sources.x.kdf must be", "bytes-to-key:md5"),
            ("key-bits = 129", "sources.x.key-bits must be 128, 192 or 256", ""),
            (
                "decrypt = \"aes-ecb\"\nkey-env = \"K\"\nkey-bits = 128",
                "7:1: sources.x.key-bits needs kdf", "leave it out"
            ),
            (
                "decript = \"age\"", "5:1: sources.x.decript is not a known key",
                "did you mean decrypt?"
            ),
            ("keyfile = \"k\"", "sources.x.keyfile is not a known key", "did you mean key-file?"),
        ]
    )
    func errors(_ keys: String, _ start: String, _ part: String) {
        let error = #expect(throws: CommandError.self) {
            try Self.parse("\n[sources.x]\nservice = \"files\"\npath = \"/a\"\n\(keys)")
        }
        let message = error?.description ?? "no error"
        #expect(error?.status == .usage)
        #expect(message.hasPrefix("/etc/w/c.toml:"))
        #expect(message.contains(start), "\(message)")
        #expect(message.contains(part), "\(message)")
        #expect(!message.contains("hush"))
    }
}
