// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirHTTP

@Suite("The check of the first bytes")
struct PageGuardTests {
    /// The finding for a text that arrives in pieces of this size.
    private func finding(
        _ text: [UInt8],
        piece: Int,
        isTypedAsPage: Bool = false,
        isWhole: Bool = true
    ) -> PageGuard.Finding {
        var pageGuard = PageGuard(isTypedAsPage: isTypedAsPage)
        var offset = 0
        while offset < text.count {
            let end = min(offset + piece, text.count)
            let finding = pageGuard.received(ByteMemory(Array(text[offset..<end])))
            guard case .undecided = finding else { return finding }
            offset = end
        }
        return pageGuard.ended(isWhole: isWhole)
    }

    @Test("finds pages, in pieces of any size", arguments: [1, 2, 3, 7, 1_000])
    func findsPages(_ piece: Int) {
        for text in [
            "<!DOCTYPE html><html><head>", "\n  <html lang=en>", "<!doctype HTML>",
            "\u{FEFF}<html>",
            "<html>" + String(repeating: "x", count: 2_000),
        ] {
            #expect(self.finding(Array(text.utf8), piece: piece) == .page, "\(text.prefix(20))")
        }
    }

    @Test("passes everything else, in pieces of any size", arguments: [1, 2, 3, 7, 1_000])
    func letsPass(_ piece: Int) {
        for bytes in [
            Array("ID3\u{4}".utf8), [0xFF, 0xFB, 0x90], Array("OggS".utf8), [], [0xEF],
            Array("<".utf8),
            Array("<svg xmlns=".utf8), [UInt8](repeating: 0x20, count: 3_000),
            Array("#EXTM3U".utf8),
        ] {
            #expect(self.finding(bytes, piece: piece) == .other)
        }
    }

    @Test("takes any text as a page if its type is a page's", arguments: [1, 2, 3, 7, 1_000])
    func typedAsPage(_ piece: Int) {
        for text in [
            "<html>", "<q>Not found", "\nThere is no such file.\n", "Перезвоните нам",
            "{\"error\": 1}", String(repeating: "x", count: 2_000),
        ] {
            #expect(self.finding(Array(text.utf8), piece: piece, isTypedAsPage: true) == .page)
        }
        let wide = Array("\u{FEFF}<html>".utf16).flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(self.finding(wide, piece: piece, isTypedAsPage: true) == .page)
    }

    @Test("passes media with the type of a page", arguments: [1, 2, 3, 7, 1_000])
    func typedWrongly(_ piece: Int) {
        for bytes in [
            Array("ID3\u{4}".utf8), [0xFF, 0xFB, 0x90, 0x00], Array("OggS\u{0}".utf8),
            Array("fLaC\u{0}".utf8), Array("RIFF$\u{1}\u{0}\u{0}WAVE".utf8),
            Array("#EXTM3U\na.ts\n".utf8),
            [0, 0, 0, 24] + Array("ftypisom".utf8), [0x1A, 0x45, 0xDF, 0xA3], [],
        ] {
            #expect(self.finding(bytes, piece: piece, isTypedAsPage: true) == .other)
        }
        // A few bytes at the start show a page only if they begin with `<`.
        #expect(
            self.finding(Array("ID".utf8), piece: piece, isTypedAsPage: true, isWhole: false)
                == .other
        )
        #expect(
            self.finding(Array("<!".utf8), piece: piece, isTypedAsPage: true, isWhole: false)
                == .page
        )
    }

    private static let playlists = [
        "#EXTM3U\nhttp://a/b\n", "[playlist]\nFile1=http://a/b\n", "http://a/b\n",
        "\n# a comment\nHTTPS://a/b\n", "[Reference]\nRef1=http://a/b\n",
        "<asx version=\"3.0\"><entry><ref href=\"http://a/b\"/></entry></asx>",
        "<?xml version=\"1.0\"?>\n<ASX><Entry/></ASX>",
        "<?xml version=\"1.0\"?><playlist xmlns=\"http://xspf.org/ns/0/\"/>",
        "\u{FEFF}rtsp://a/b.ra\n",
        "<asx version=\"3.0\"><title>Radio</title><entry><ref href=\"http://a/b\"/></entry></asx>",
        "<?xml version=\"1.0\"?>\n<!-- a <head> -->\n<playlist><title>Radio</title><trackList/></playlist>",
        "<?wpl version=\"1.0\"?>\n<smil><head><title>Songs</title></head><body/></smil>",
        "<opml version=\"2.0\"><head><title>Radio</title></head><body/></opml>",
    ]

    @Test("passes playlists with the type of a page", arguments: playlists, [1, 7, 1_000])
    func letsListsPass(_ list: String, _ piece: Int) {
        #expect(self.finding(Array(list.utf8), piece: piece, isTypedAsPage: true) == .other)
        let wide = "\u{FEFF}\(list)".utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(self.finding(wide, piece: piece, isTypedAsPage: true) == .other)
    }

    @Test(
        "distinguishes HTML from other text",
        arguments: [
            ("<!DOCTYPE html><html>", true), ("<q>Not found", true), ("Please sign in.", false),
            ("{\"error\": 1}", false), ("http://a/<b>", false), ("<html><asx></asx>", true),
        ]
    )
    func tellsHTML(_ text: String, _ isHTML: Bool) {
        var pageGuard = PageGuard(isTypedAsPage: true)
        _ = pageGuard.received(ByteMemory(Array(text.utf8)))
        #expect(pageGuard.ended(isWhole: true) == .page)
        #expect(pageGuard.isHTML == isHTML)
    }

    @Test("decides at the first byte that no page can start with")
    func decidesAtOnce() {
        var pageGuard = PageGuard()
        #expect(pageGuard.received(ByteMemory([0x20, 0x0A])) == .undecided)
        #expect(pageGuard.received(ByteMemory([0x49])) == .other)
    }
}
