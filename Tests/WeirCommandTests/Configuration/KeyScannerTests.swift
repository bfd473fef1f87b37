// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirCommand

@Suite("Where keys stand")
struct KeyScannerTests {
    private static let text = """
        # a = 1
        a = "x = 1 # no comment" # b = 2
          spaced   =   'it''s'
        "quoted key" = 1
        list = [ # c = 1
          "[sources.x]", 'y',
          { inner = 1, deep = { er = [1, {z = 2}] } },
        ]
        long = \"\"\"
        [not.a.section]
        n = 1 \\\"\"\" still \"\"\"\"\"
        raw = '''
        m = 1'''
        dotted . "key.s" = 1
        last=1

        [ sources . cloud ] # [no]
        url = "u"
        [sources]
        [sources.film]
        url-command = ["a=1", "}"]
        life.time = 2
        [[radio]]
        name = "one"
        [[radio]]
        name = "two"
        """

    @Test(
        "sections, dotted and quoted keys, inline tables, behind strings of every kind",
        arguments: [
            (["a"], 2, 1), (["spaced"], 3, 3), (["quoted key"], 4, 1), (["list"], 5, 1),
            (["list", "inner"], 7, 5), (["list", "deep"], 7, 16), (["list", "deep", "er"], 7, 25),
            (["list", "deep", "er", "z"], 7, 35), (["long"], 9, 1), (["raw"], 12, 1),
            (["dotted"], 14, 1), (["dotted", "key.s"], 14, 1), (["last"], 15, 1),
            (["sources"], 19, 1), (["sources", "cloud"], 17, 1),
            (["sources", "cloud", "url"], 18, 1),
            (["sources", "film"], 20, 1), (["sources", "film", "url-command"], 21, 1),
            (["sources", "film", "life", "time"], 22, 1), (["radio"], 25, 1),
            (["radio", "name"], 24, 1),
        ] as [([String], Int, Int)]
    )
    func positions(_ path: [String], _ line: Int, _ column: Int) {
        #expect(
            KeyScanner(Self.text).positions[path] == TextPosition(line: line, column: column)
        )
    }

    @Test("and nothing that only looks like a key")
    func nothingElse() {
        let found = Set(KeyScanner(Self.text).positions.keys.map { $0.joined(separator: "/") })
        for wrong in ["b", "c", "n", "m", "not", "not/a/section", "x", "sources/x", "no"] {
            #expect(!found.contains(wrong))
        }
    }

    @Test("what is right has no defect")
    func defect() {
        #expect(KeyScanner(Self.text).defect == nil)
        for value in ["1", "-1", "+1.5e-3", "1_000", "true", "false", "[]", "{}", "\"\"", "''"] {
            #expect(KeyScanner("a = \(value) # b\nc=\(value)").defect == nil)
        }
    }

    @Test("columns count Unicode scalars, and a byte order mark is none of the text")
    func columns() {
        let positions = KeyScanner("t = { \"ä\u{1F600}\" = 1, b = 2 }\r\nc = 1").positions
        #expect(positions[["t", "b"]] == TextPosition(line: 1, column: 17))
        #expect(positions[["c"]] == TextPosition(line: 2, column: 1))
    }

    @Test("any text comes to an end")
    func anything() {
        for end in 0...Self.text.count { _ = KeyScanner(String(Self.text.prefix(end))) }
        let alphabet = Array("[]{}=.,\"'#\\\n a1")
        var generator = SeededGenerator(seed: 7)
        for _ in 0..<3000 {
            let count = Int.random(in: 0..<30, using: &generator)
            let letters = (0..<count).map { _ in
                alphabet[Int.random(in: 0..<alphabet.count, using: &generator)]
            }
            _ = KeyScanner(String(letters))
        }
        for text in ["[", "{", "a=[", "a={b=", "\"", "a.", "= "] {
            _ = KeyScanner(String(repeating: text, count: 20_000))
        }
    }
}
