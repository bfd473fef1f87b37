// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("A file name made of a name from outside")
struct FileNameTests {
    @Test(
        "is the last component of any path, and neither hides the file nor looks like an option",
        arguments: [
            ("song.mp3", "song.mp3"), ("a/b/c.mp3", "c.mp3"), ("C:\\x\\y.mp3", "y.mp3"),
            ("../../etc/passwd", "passwd"), (".bashrc", "bashrc"), ("-", nil), ("--help", "help"),
            ("-o x.mp3", "o x.mp3"), (". - .x", "x"), ("...", nil), ("", nil), ("/", nil),
            ("a/", nil),
            ("a\nb\u{0}c\u{1B}.mp3", "a bc.mp3"), ("  a\t", "a"),
            ("evil\u{202E}3pm.exe", "evil3pm.exe"),
            ("x/\u{301}..", "\u{301}.."), ("..\u{2F}\u{301}x", "\u{301}x"), ("con", "_con"),
            ("NUL.txt", "_NUL.txt"), ("com1 .x", "_com1 .x"), ("console.log", "console.log"),
            ("ä ё 🎵.flac", "ä ё 🎵.flac"), ("a\u{AD}\u{200B}b", "ab"), ("\u{AD}\u{200D}", nil),
            ("👩\u{200D}🚀", "👩\u{200D}🚀"), ("a.", "a."),
        ] as [(String, String?)]
    )
    func cleans(_ text: String, _ name: String?) {
        #expect(FileName.cleaned(text) == name)
    }

    @Test("is the same with a folder before it, whatever its bytes are")
    func folderBefore() {
        for byte in UInt8(0)...127 {
            let character = String(UnicodeScalar(byte))
            for text in ["\(character)ab", "a\(character)b", "ab\(character)", character] {
                let name = FileName.component(text)
                #expect(name == FileName.component("folder/\(text)"), "\(text)")
            }
        }
    }

    @Test("of a title keeps the text around its separators")
    func titles() {
        #expect(FileName.cleaned(title: "AC/DC\\Live") == "AC_DC_Live")
        #expect(FileName.cleaned(title: "../x") == "_x")
        #expect(FileName.cleaned(title: "-.-") == nil)
    }

    #if !canImport(Darwin)
    @Test(
        "of a listed file keeps its bytes, also backslashes and bytes that are not text",
        arguments: [
            ("caf\\xE9.mp4", "caf\\xE9.mp4"), ("back\\slash.mp3", "back\\slash.mp3"),
            ("a\\x5Cx0Ab", "a\\x5Cx0Ab"), ("a\\x0Ab", "a b"), ("-\\xE9", "\\xE9"), ("con", "_con"),
            (".x", "x"), ("e\u{301}", "e\u{301}"), ("\u{E9}", "\u{E9}"), ("\\x1B", nil),
            ("a\u{10FFE9}", "a"), ("\u{202E}\\xFF", "\\xFF"),
        ] as [(String, String?)]
    )
    func cleansListed(_ name: String, _ wanted: String?) {
        let cleaned = FileName.cleaned(listed: name)
        #expect(cleaned.map { Array($0.utf8) } == wanted.map { Array($0.utf8) })
    }
    #endif

    @Test("of a listed file is cut by its bytes, and numbered before its extension")
    func numbersListed() {
        let long = String(repeating: "\\xE0", count: 250) + ".mp4"
        #if !canImport(Darwin)
        #expect(FileName.cleaned(listed: long) == long)
        #endif
        #expect(FileName.numbered(listed: "a.mp3", copy: 2) == "a (2).mp3")
        #expect(FileName.numbered(listed: "a", copy: 3) == "a (3)")
        let most = String(repeating: "x", count: 251) + ".mp3"
        #expect(FileName.numbered(listed: most, copy: 2).utf8.count == 255)
    }

    @Test("is cut between two characters, before its extension")
    func cuts() throws {
        for (letter, size) in [("x", 1), ("ü", 2), ("語", 3), ("🎵", 4), ("e\u{301}", 3), ("🇩🇪", 8)] {
            let name = try #require(
                FileName.cleaned(String(repeating: letter, count: 300) + ".flac")
            )
            let count = (FileName.longest - 5) / size
            #expect(name == String(repeating: letter, count: count) + ".flac")
        }
        let zalgo = "a" + String(repeating: "\u{301}", count: 400)
        let cut = try #require(FileName.cleaned("\(zalgo).mp3"))
        #expect(cut.utf8.count <= 255 && cut.utf8.first == UInt8(ascii: "a"))
        let long = try #require(FileName.cleaned("a." + String(repeating: "x", count: 400)))
        #expect(long.utf8.count == 255 && long.hasPrefix("a.xxx"))
    }

    @Test(
        "is harmless whatever the text, and unchanged by a second cleaning",
        arguments: 0..<400
    )
    func isHarmless(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let signs: [Unicode.Scalar] = [
            "/", "\\", ".", "-", " ", "\0", "\n", "\t", "\u{1B}", "\u{7F}", "\u{85}", "\u{202E}",
            "\u{2066}",
            "\u{200F}", "\u{FEFF}", "\u{301}", "\u{200D}", "a", "ü", "語", "🎵", "~", ":", "*", "c",
            "o", "n",
        ]
        var text = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...400, using: &random) {
            text.append(signs[Int.random(in: 0..<signs.count, using: &random)])
        }
        for name in [FileName.cleaned(String(text)), FileName.cleaned(title: String(text))] {
            guard let name else { continue }
            #expect(!name.isEmpty && name.utf8.count <= 255)
            let bytes = Array(name.utf8)
            #expect(bytes[0] != UInt8(ascii: ".") && bytes[0] != UInt8(ascii: "-"))
            #expect(!bytes.contains(UInt8(ascii: "/")) && !bytes.contains(UInt8(ascii: "\\")))
            #expect(
                name.unicodeScalars.allSatisfy { scalar in
                    scalar.properties.generalCategory != .control
                        && !(0x202A...0x202E).contains(scalar.value)
                        && !(0x2066...0x2069).contains(scalar.value)
                }
            )
            #expect(FileName.cleaned(name) == name)
        }
    }
}
