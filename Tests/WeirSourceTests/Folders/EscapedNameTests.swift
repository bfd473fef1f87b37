// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("A name as text")
struct EscapedNameTests {
    @Test(
        "shows printable text, and each other byte as an escape",
        arguments: [
            ("a.mp3", "a.mp3"), ("Größe Ёлка 🎵", "Größe Ёлка 🎵"),
            ("back\\slash.mp3", "back\\slash.mp3"),
            ("a\nb\tc\r", "a\\x0Ab\\x09c\\x0D"), ("\u{1B}[31m\u{7F}", "\\x1B[31m\\x7F"),
            ("a\u{85}b\u{2028}c", "a\\xC2\\x85b\\xE2\\x80\\xA8c"),
            ("a\\x0Ab", "a\\x5Cx0Ab"), ("\\x5Cx0A", "\\x5Cx5Cx0A"), ("\\\n", "\\\\x0A"),
            ("\\x0a\\x41\\x2F\\x2E\\x0", "\\x0a\\x41\\x2F\\x2E\\x0"),
        ]
    )
    func shows(_ name: String, _ text: String) {
        #expect(FolderPath.name(ofBytes: name.utf8) == text)
        #expect(FolderPath.bytes(ofName: text) == Array(name.utf8))
    }

    @Test("shows bytes that are not UTF-8")
    func showsBytes() {
        for (bytes, text) in [
            ([0x63, 0x61, 0x66, 0xE9], "caf\\xE9"), ([0xC3], "\\xC3"), ([0xC3, 0xA4], "ä"),
            ([0xC0, 0xAE], "\\xC0\\xAE"), ([0xED, 0xA0, 0x80], "\\xED\\xA0\\x80"),
            ([0xE2, 0x82, 0x0A], "\\xE2\\x82\\x0A"),
            ([0xF4, 0x90, 0x80, 0x80], "\\xF4\\x90\\x80\\x80"),
        ] as [([UInt8], String)] {
            #expect(FolderPath.name(ofBytes: bytes) == text)
            #expect(FolderPath.bytes(ofName: text) == bytes)
        }
    }

    @Test("does not exist for bytes that cannot be the name of a file")
    func refuses() {
        for name in ["", ".", "..", "a/b", "a\0b", "/"] {
            #expect(FolderPath.name(ofBytes: name.utf8) == nil)
        }
    }

    @Test("differs for any two short names, and leads back to its name")
    func isOneToOne() {
        let signs: [UInt8] = [0x5C, 0x78, 0x30, 0x41, 0x0A, 0xC3, 0xA4, 0x2E]
        var names: [[UInt8]] = [[]]
        var texts = Set<String>()
        var isRight = true
        for _ in 0..<5 {
            names = names.flatMap { name in signs.map { name + [$0] } }
            for name in names {
                guard let text = FolderPath.name(ofBytes: name) else { continue }
                let isNew = texts.insert(text).inserted
                let isLine = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
                isRight = isRight && isNew && isLine && FolderPath.bytes(ofName: text) == name
            }
        }
        #expect(isRight)
        #expect(texts.count > 30_000)
    }

    @Test("leads back to any bytes, through a path, too", arguments: 0..<200)
    func leadsBack(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let bytes = (0..<Int.random(in: 1...24, using: &random)).map { _ -> UInt8 in
            let part = Array("\\x0A\\xC3.%".utf8).randomElement(using: &random) ?? 0
            return Bool.random(using: &random) ? part : UInt8.random(in: 1...255, using: &random)
        }
        guard let text = FolderPath.name(ofBytes: bytes) else { return }
        #expect(FolderPath.bytes(ofName: text) == bytes)
        let path = try FolderPath("/Music/\(text)")
        #expect(path.componentBytes.last == bytes)
        #expect(path.name == text)
        #expect(try FolderPath(bytes: Array("/Music/".utf8) + bytes) == path)
        #expect(try FolderPath(path.description) == path)
    }

    @Test("in a path never leads upwards, and an escaped dot is not a dot")
    func readsBytes() throws {
        for text in ["..", "a/..", "./a", "a\0"] {
            #expect(throws: SourceError.self) { try FolderPath(bytes: text.utf8) }
        }
        #expect(throws: SourceError.self) { try FolderPath("a\\x00") }
        #expect(try FolderPath("\\x2E\\x2E").componentBytes == [Array("\\x2E\\x2E".utf8)])
        #expect(try FolderPath(bytes: "/a\\x0A/".utf8).description == "/a\\x5Cx0A/")
        // Two spellings of one name are one path.
        #expect(try FolderPath("caf\\xC3\\xA9") == FolderPath("café"))
    }
}
