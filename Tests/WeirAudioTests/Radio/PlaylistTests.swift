// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirAudio

@Suite("Playlists")
struct PlaylistTests {
    private func playlist(_ text: String, kind: Playlist.Kind? = nil) throws -> Playlist {
        try Playlist(ByteMemory(Array(text.utf8)), kind: kind)
    }

    /// An entry with a negative length.
    private static func endless(_ location: String, title: String) -> Playlist.Entry {
        var entry = Playlist.Entry(location: location, title: title)
        entry.isEndless = true
        return entry
    }

    @Test(
        "M3U is read with any line ends, with and without a byte order mark, a header and a last line end",
        arguments: ["\n", "\r", "\r\n"]
    )
    func m3u(_ end: String) throws {
        let lines = [
            "#EXTM3U", "#EXTINF:123,Artist - Título", "http://a/1.mp3", "",
            "#EXTINF:-1 tvg-logo=\"a,b\",Radio",
            "  http://b/2  ", "# comment", "rel/3.mp3",
        ]
        let expected = [
            Playlist.Entry(location: "http://a/1.mp3", title: "Artist - Título", seconds: 123),
            Self.endless("http://b/2", title: "Radio"),
            Playlist.Entry(location: "rel/3.mp3"),
        ]
        let text = lines.joined(separator: end)
        for text in [text, text + end, "\u{FEFF}" + text] {
            let playlist = try self.playlist(text)
            #expect(playlist.kind == .m3u)
            #expect(playlist.entries == expected)
        }
        let bare = lines.dropFirst().joined(separator: end)
        #expect(try self.playlist(bare).entries == expected)
    }

    @Test("Text other than UTF-8 is read as Windows-1252, and UTF-16 by its byte order mark")
    func charsets() throws {
        let latin = Array("#EXTM3U\n#EXTINF:1,K".utf8) + [0xF6] + Array("ln\nhttp://x/\n".utf8)
        #expect(try Playlist(ByteMemory(latin)).entries.first?.title == "Köln")
        // In Windows-1252, 0x80 to 0x9F are letters and quotes; in Latin-1 they are control
        // characters.
        let quoted =
            Array("#EXTINF:1,".utf8) + [0x93, 0x80, 0x94, 0x85] + Array("\nhttp://x/".utf8)
        #expect(try Playlist(ByteMemory(quoted)).entries.first?.title == "“€”…")
        let pls = Array("[playlist]\nFile1=caf".utf8) + [0xE9] + Array("\nTitle1=".utf8) + [0x8C]
        #expect(
            try Playlist(ByteMemory(pls)).entries == [Playlist.Entry(location: "café", title: "Œ")]
        )
        let wide = TagBytes.utf16("#EXTM3U\r\nhttp://ü/\r\n")
        #expect(try Playlist(ByteMemory(wide)).entries.first?.location == "http://ü/")
    }

    @Test("PLS is read without a count, with keys in any case, and wrong numbers")
    func pls() throws {
        let text = """
            [Playlist]
            file1=http://a/
            TITLE1 = A
            Length1=-1
            File7=http://b/
            Length7=60
            File7=http://c/
            Title3=nobody
            Filex=http://no/
            File=http://d/
            NumberOfEntries=99
            """
        let playlist = try self.playlist(text)
        #expect(playlist.kind == .pls)
        #expect(
            playlist.entries == [
                Self.endless("http://a/", title: "A"),
                Playlist.Entry(location: "http://b/", seconds: 60),
                Playlist.Entry(location: "http://c/", seconds: 60),
                Playlist.Entry(location: "http://d/"),
            ]
        )
    }

    @Test("XSPF and ASX give their addresses and titles")
    func markup() throws {
        let xspf = """
            <?xml version="1.0"?><playlist version="1"><title>List</title><trackList>
            <!-- <track><location>no</location></track> -->
            <track><location> http://a/?x=1&amp;y=2 </location><title><![CDATA[A & B]]></title>
            <duration>61500</duration></track>
            <track><title>without</title></track>
            <x:track><x:location>http://b/&#233;</x:location><location>http://other/</location></x:track>
            """
        #expect(
            try self.playlist(xspf).entries == [
                Playlist.Entry(location: "http://a/?x=1&y=2", title: "A & B", seconds: 61),
                Playlist.Entry(location: "http://b/é"),
            ]
        )
        let asx = """
            <ASX version="3.0"><TITLE>List</TITLE><Entry><Title>One</Title><REF HREF = "http://a/"/>
            <Ref href='http://mirror/'/></Entry><entry><ref href=http://b/ /></entry>
            <EntryRef href="http://c/list.asx"/></ASX>
            """
        let playlist = try self.playlist(asx)
        #expect(playlist.kind == .asx)
        #expect(
            playlist.entries == [
                Playlist.Entry(location: "http://a/", title: "One"),
                Playlist.Entry(location: "http://b/"),
                Playlist.Entry(location: "http://c/list.asx"),
            ]
        )
    }

    @Test("ASX that is not XML gives its addresses, in the order of its lines")
    func references() throws {
        let text =
            "[Reference]\r\nRef1=http://a/1?MSWMExt=.asf\r\nREF2 = http://b/2\r\nReference=x\r\nRef3=\r\n"
        for text in [text, "\u{FEFF}\n" + text.lowercased()] {
            let playlist = try self.playlist(text)
            #expect(playlist.kind == .asx)
            #expect(playlist.entries.count == 2)
            #expect(playlist.entries.last?.location == "http://b/2")
        }
    }

    @Test("RAM gives the lines that are addresses")
    func ram() throws {
        let playlist = try self.playlist(
            "# RealAudio\nrtsp://a/1.ra\npnm://b/2.ra\nhttp://c/3.ra\n"
        )
        #expect(playlist.kind == .m3u)
        #expect(
            playlist.entries.map(\.location) == ["rtsp://a/1.ra", "pnm://b/2.ra", "http://c/3.ra"]
        )
    }

    @Test(
        "HLS is recognised and refused",
        arguments: [
            "#EXTM3U\n#EXT-X-TARGETDURATION:10\n#EXTINF:9,\na.ts\n",
            "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=1\nlow.m3u8\n",
        ]
    )
    func hls(_ text: String) {
        let error = #expect(throws: AudioStreamError.self) { try self.playlist(text) }
        #expect(error?.code == .unsupported)
    }

    @Test("Text that is no playlist, or is too large, is refused")
    func refused() {
        let none = #expect(throws: AudioStreamError.self) { try self.playlist("hello\nworld") }
        #expect(none?.code == .unrecognized)
        let empty = #expect(throws: AudioStreamError.self) { try self.playlist("") }
        #expect(empty?.code == .unrecognized)
        let bytes = ByteMemory([UInt8](repeating: 0x41, count: Playlist.maximumByteCount + 1))
        let large = #expect(throws: AudioStreamError.self) { try Playlist(bytes) }
        #expect(large?.code == .limit)
    }

    @Test("A page is reported as a page, whatever its name and the addresses in it")
    func pages() {
        let page = "<!doctype html>\n<html><body>\nhttp://radio.example/a\n</body></html>"
        for kind in [nil, .m3u, .pls] as [Playlist.Kind?] {
            let error = #expect(throws: AudioStreamError.self) {
                try self.playlist(page, kind: kind)
            }
            #expect(error?.code == .notAudio)
            #expect(error?.reason.hasPrefix("This is an HTML page, not a playlist;") == true)
        }
        for list in [
            "<opml version=\"2.0\"><head/><body><outline URL=\"http://a/\"/></body></opml>",
            "<?xml version=\"1.0\"?>\n<smil><body>\nhttp://a/\n</body></smil>",
            "<?wpl version=\"1.0\"?>\n<smil><head><title>x</title></head></smil>",
        ] {
            let error = #expect(throws: AudioStreamError.self) { try self.playlist(list) }
            #expect(error?.reason.contains("a list in a format that Weir cannot read") == true)
        }
    }

    @Test("Entries beyond the limit are left out")
    func bounded() throws {
        let text = "#EXTM3U\n" + String(repeating: "http://a/\n", count: 12_000)
        let playlist = try self.playlist(text)
        #expect(playlist.entries.count == Playlist.maximumEntryCount)
        #expect(playlist.isCut)
        #expect(try self.playlist("#EXTM3U").entries.isEmpty)
    }

    @Test("Changed and cut lists never trap")
    func hostile() throws {
        let texts = [
            "[playlist]\nFile1=a\nLength1=5", "<asx><entry><ref href=\"a\"/></entry>",
            "<playlist><track><location><![CDATA[a]]></location></track>",
            "<playlist><track><location>a&#x41;&bad;&#xFFFFFFFF;</location><!-- -->",
        ]
        var random = SeededGenerator(seed: 11)
        for text in texts {
            let bytes = Array(text.utf8)
            for count in 0...bytes.count {
                _ = try? Playlist(ByteMemory(copying: bytes.prefix(count)))
            }
            for kind in [Playlist.Kind.m3u, .pls, .xspf, .asx] {
                for _ in 0..<100 {
                    var changed = bytes
                    changed[Int.random(in: changed.indices, using: &random)] = UInt8.random(
                        in: 0...255,
                        using: &random
                    )
                    _ = try? Playlist(ByteMemory(changed), kind: kind)
                }
            }
        }
        let spaces =
            "<asx><entry " + String(repeating: "href ", count: 20_000)
            + String(repeating: " ", count: 100_000) + ">"
        #expect(try self.playlist(spaces).entries.isEmpty)
        let opens = "<playlist>" + String(repeating: "<track><title>", count: 10_000)
        #expect(try self.playlist(opens).entries.isEmpty)
    }
}
