// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirCommand

@Suite("TOML")
struct TOMLReaderTests {
    /// A document for every clause of the specification that the reader supports, with its value.
    private static let documents: [(String, [String: TOMLTree])] = [
        ("", [:]),
        ("\u{FEFF}a = 1", ["a": .integer(1)]),
        ("# a = 1\n\n \t# é\r\na = 1 # b\r\n", ["a": .integer(1)]),
        (
            "a-1_B = 1\n\"b c\" = 2\n'd\"e' = 3\n\"\" = 4\n1 = 5\n\"\\u00e9\" = 6",
            [
                "a-1_B": .integer(1), "b c": .integer(2), "d\"e": .integer(3), "": .integer(4),
                "1": .integer(5), "é": .integer(6),
            ]
        ),
        (
            "a.b = 1\na . \"c.d\" = 2\n3.1 = 4",
            [
                "a": .table(["b": .integer(1), "c.d": .integer(2)]),
                "3": .table(["1": .integer(4)]),
            ]
        ),
        (
            "a = \"\\b\\t\\n\\f\\r\\\"\\\\\\u00E9\\U0001F600 # '\"\nb = '\\n \"'\nc = \"\"\nd = ''",
            [
                "a": .text("\u{8}\t\n\u{C}\r\"\\é\u{1F600} # '"), "b": .text("\\n \""),
                "c": .text(""), "d": .text(""),
            ]
        ),
        (
            "a = \"\"\"\r\none \\\n \t \r\n  two\n\"\" \\\"\"\" three\"\"\"\"\"\nb = '''\n'a'\\\n''b'''''",
            ["a": .text("one two\n\"\" \"\"\" three\"\""), "b": .text("'a'\\\n''b''")]
        ),
        (
            "a = [+0, -1, 1_000, 0xDEAD_beef, 0o17, 0b101, 9223372036854775807, -9223372036854775808]",
            [
                "a": .list(
                    [0, -1, 1000, 0xDEAD_BEEF, 15, 5, Int.max, Int.min].map(TOMLTree.integer)
                )
            ]
        ),
        (
            "a = [0.5, -1e3, +1.5E-1_0, 0e0]",
            ["a": .list([0.5, -1000, 1.5e-10, 0].map(TOMLTree.float))]
        ),
        (
            "a = [true, [false, 'x'], # ]\n\n\t{ b = [1] },\r\n]\nc = []",
            [
                "a": .list([
                    .boolean(true), .list([.boolean(false), .text("x")]),
                    .table(["b": .list([.integer(1)])]),
                ]), "c": .list([]),
            ]
        ),
        (
            "a = {}\nb = { c.d = 1, c.e = { f = 2 }, 'g' = [\n] }",
            [
                "a": .table([:]),
                "b": .table([
                    "c": .table(["d": .integer(1), "e": .table(["f": .integer(2)])]),
                    "g": .list([]),
                ]),
            ]
        ),
        (
            "[a.b]\nc = 1\n[ a ] # d\nd = 2\n[a.\"e\"]\n[f]\ng.h = 3\n[f.g.i]\nj = 4",
            [
                "a": .table([
                    "b": .table(["c": .integer(1)]), "d": .integer(2), "e": .table([:]),
                ]),
                "f": .table([
                    "g": .table(["h": .integer(3), "i": .table(["j": .integer(4)])])
                ]),
            ]
        ),
        (
            "[[a]]\nb = 1\n[[a.c]]\n[[a.c]]\nd = 2\n[[ a ]]\n[a.c]\ne = 3",
            [
                "a": .list([
                    .table([
                        "b": .integer(1),
                        "c": .list([.table([:]), .table(["d": .integer(2)])]),
                    ]),
                    .table(["c": .table(["e": .integer(3)])]),
                ])
            ]
        ),
    ]

    @Test("keys, strings, numbers, lists, tables and sections have their values")
    func values() throws {
        for (text, table) in Self.documents {
            #expect(try TOMLTree.read(text) == .table(table), "\(text.debugDescription)")
        }
    }

    @Test(
        "a tree reads back the same, in every way of writing it",
        arguments: 0..<60 as Range<UInt64>
    )
    func roundTrip(_ seed: UInt64) throws {
        var maker = TOMLTreeMaker(generator: SeededGenerator(seed: seed))
        for _ in 0..<50 {
            guard case .table(let table) = maker.table(depth: 3) else { return }
            var writer = TOMLWriter(maker)
            writer.write(table)
            maker = writer.maker
            #expect(try TOMLTree.read(writer.text) == .table(table), "seed \(seed): \(writer.text)")
        }
    }

    @Test("a broken document gives a table or an error", arguments: 0..<20 as Range<UInt64>)
    func broken(_ seed: UInt64) throws {
        var maker = TOMLTreeMaker(generator: SeededGenerator(seed: seed))
        guard case .table(let table) = maker.table(depth: 3) else { return }
        var writer = TOMLWriter(maker)
        writer.write(table)
        let scalars = Array(writer.text.unicodeScalars)
        let lines = writer.text.utf8.count { $0 == UInt8(ascii: "\n") } + 1
        for index in 0...scalars.count {
            var text = String.UnicodeScalarView(scalars[..<index])
            Self.expectEnd(String(text), lines)
            guard index < scalars.count else { continue }
            text.append(
                contentsOf: maker.pick(["\"", "[", "]", "}", "\n", "\\", "\0", "="]).unicodeScalars
            )
            text.append(contentsOf: scalars[(index + 1)...])
            Self.expectEnd(String(text), lines + 1)
        }
    }

    private static func expectEnd(_ text: String, _ lines: Int) {
        do throws(TOMLError) {
            _ = try TOMLReader.read(text)
        } catch {
            #expect((1...lines).contains(error.position.line))
            #expect(error.sentence.hasSuffix("."))
        }
    }

    @Test("tables and lists have at most 128 levels, and a text has at most 1 MiB")
    func limits() throws {
        func nested(_ count: Int) -> [String] {
            [
                "a = \(String(repeating: "[", count: count))\(String(repeating: "]", count: count))",
                "\(String(repeating: "a.", count: count - 1))b = 1",
                "[\(String(repeating: "a.", count: count - 1))b]",
                "a = \(String(repeating: "{a=", count: count))1\(String(repeating: "}", count: count))",
            ]
        }
        for text in nested(128) { _ = try TOMLReader.read(text) }
        for text in nested(129) + nested(200_000) {
            #expect(throws: TOMLError.self) { try TOMLReader.read(text) }
        }
        let longest = "#\(String(repeating: "x", count: TOMLReader.longest - 1))"
        #expect(try TOMLTree.read(longest) == .table([:]))
        #expect(throws: TOMLError.self) { try TOMLReader.read("\(longest)x") }
    }

    @Test("reading a nonsense text of 1 MiB ends")
    func long() {
        for piece in [
            "[", "{", "a=[", "a={b=", "\"", "a.", "= ", "[[a]]\n", "'''", "\\", "a=1_", "\r",
        ] {
            let count = TOMLReader.longest / piece.utf8.count
            _ = try? TOMLReader.read(String(repeating: piece, count: count))
        }
    }
}
