// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("The format of a playlist")
struct ListFormTests {
    private static func form(_ bytes: [UInt8]) -> ListForm? {
        bytes.withUnsafeBytes { ListForm(of: $0) }
    }

    private static let lists: [(String, ListForm)] = [
        ("#EXTM3U\nhttp://a/\n", .m3u), ("\n #extm3u", .m3u), ("[PlayList]\nFile1=x", .pls),
        ("[reference]\nRef1=http://a/", .references), ("http://a/b", .addresses),
        ("# one\n\n# two\r\nMMS://a/b\r\nx", .addresses), ("<ASX VERSION=\"3.0\">", .asx),
        ("<?xml version=\"1.0\"?>\n<!-- <html> -->\n<playlist>", .xspf),
        ("<!DOCTYPE playlist SYSTEM \"x\"><playlist\n>", .xspf),
        ("<?wpl version=\"1.0\"?><smil><head>", .foreign), ("<opml><head>", .foreign),
        ("<?xml version=\"1.0\"?><WasabiXML><playlist>", .foreign),
    ]

    @Test("is recognised by the first bytes, with each mark, and in UTF-16")
    func tells() {
        for (text, form) in Self.lists {
            #expect(Self.form(Array(text.utf8)) == form, "\(text)")
            #expect(Self.form([0xEF, 0xBB, 0xBF] + Array(text.utf8)) == form, "\(text)")
            let little = "\u{FEFF}\(text)".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
            #expect(Self.form(little) == form, "\(text)")
            let big = "\u{FEFF}\(text)".utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
            #expect(Self.form(big) == form, "\(text)")
        }
    }

    @Test(
        "is not found in a page, even if a list is in it, or in other text",
        arguments: [
            "", "<", "<asx", "<!doctype html><asx>", "<html><asx></asx>", "<p><playlist>",
            "see http://a/", "http://a/<b>", "<asxx>", "<!-- <asx>", "[playlis", "#", "# http://a/",
        ]
    )
    func isNone(_ text: String) {
        #expect(Self.form(Array(text.utf8)) == nil)
    }

    @Test("is looked for without a trap in any bytes")
    func survives() {
        var random = SeededGenerator(seed: 39)
        for (text, _) in Self.lists {
            let bytes = Array(text.utf8)
            for count in 0...bytes.count { _ = Self.form(Array(bytes.prefix(count))) }
            for _ in 0..<200 {
                var changed = bytes
                changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(
                    in: 0...255,
                    using: &random
                )
                _ = Self.form(changed)
            }
        }
    }
}
