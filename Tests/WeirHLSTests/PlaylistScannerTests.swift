// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirHLS

@Suite("Reading an HLS playlist")
struct PlaylistScannerTests {
    private static func scan(
        _ text: String,
        importing variables: [String: String] = [:],
        query: [String: String] = [:]
    ) throws -> Playlist {
        try PlaylistScanner.scan(Array(text.utf8), importing: variables, query: query)
    }

    /// Each reference as `role uri`, and its number or bytes where they matter.
    private static func lines(_ playlist: Playlist) -> [String] {
        playlist.references.map { reference in
            let bytes = reference.bytes.map { " \($0.lowerBound)..<\($0.upperBound)" } ?? ""
            return "\(reference.role) \(reference.sequence) \(reference.uri ?? "-")\(bytes)"
        }
    }

    @Test("a media playlist has segments with their numbers", arguments: ["\n", "\r\n"])
    func segments(_ end: String) throws {
        let text = [
            "#EXTM3U", "#EXT-X-TARGETDURATION:6", "#EXT-X-MEDIA-SEQUENCE:17",
            "#EXTINF:6.0,One, two",
            "a.ts", "", "# a comment", "#EXTINF:5.9,", "  sub/b.ts?q=1,2  ",
        ].joined(separator: end)
        let playlist = try Self.scan(text)
        #expect(Self.lines(playlist) == ["segment 17 a.ts", "segment 18 sub/b.ts?q=1,2"])
        #expect(playlist.life == .live)
        #expect(playlist.targetDuration == 6)
        #expect(playlist.mediaSequence == 17)
        #expect(!playlist.isMultivariant)
    }

    @Test(
        "a multivariant playlist has variants, renditions and frames; a comment may precede a variant"
    )
    func multivariant() throws {
        let playlist = try Self.scan(
            """
            #EXTM3U
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="Deutsch, x=y",URI="de/a.m3u8",DEFAULT=NO
            #EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID="a",NAME="in the variant"
            #EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID="s",NAME="English",URI="en.m3u8"
            #EXT-X-STREAM-INF:BANDWIDTH=1,CODECS="avc1,mp4a",AUDIO="a"
            # comment
            low.m3u8
            #EXT-X-STREAM-INF:BANDWIDTH=2
            https://other.example/high.m3u8
            #EXT-X-I-FRAME-STREAM-INF:BANDWIDTH=3,URI="i.m3u8"
            #EXT-X-IMAGE-STREAM-INF:BANDWIDTH=3,URI="images.m3u8"
            #EXT-X-SESSION-KEY:METHOD=AES-128,URI="k.key"
            #EXT-X-SESSION-DATA:DATA-ID="x",URI="data.json"
            """
        )
        #expect(playlist.isMultivariant)
        #expect(playlist.life == .complete)
        #expect(
            Self.lines(playlist) == [
                "rendition(isText: false) 0 de/a.m3u8", "rendition(isText: true) 1 en.m3u8",
                "variant 2 low.m3u8", "variant 3 https://other.example/high.m3u8",
                "frames 4 i.m3u8", "frames 5 images.m3u8", "key 6 k.key", "data 7 data.json",
            ]
        )
    }

    @Test("the end tag, and the types VOD and EVENT, decide whether a playlist changes")
    func life() throws {
        let head = "#EXTM3U\n#EXT-X-TARGETDURATION:2\n"
        #expect(try Self.scan(head + "a.ts\n#EXT-X-ENDLIST").life == .complete)
        #expect(try Self.scan(head + "#EXT-X-PLAYLIST-TYPE:VOD\na.ts").life == .complete)
        #expect(try Self.scan(head + "#EXT-X-PLAYLIST-TYPE:EVENT\na.ts").life == .growing)
        #expect(
            try Self.scan(head + "#EXT-X-PLAYLIST-TYPE:EVENT\na.ts\n#EXT-X-ENDLIST\n").life
                == .complete
        )
        #expect(try Self.scan(head + "a.ts").life == .live)
    }

    @Test("a byte range without an offset continues behind the last one of the same URI")
    func byteRanges() throws {
        let playlist = try Self.scan(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:2
            #EXT-X-MAP:URI="f.mp4",BYTERANGE="100@0"
            #EXT-X-BYTERANGE:50@100
            f.mp4
            #EXT-X-BYTERANGE:10
            g.mp4
            #EXT-X-BYTERANGE:20
            f.mp4
            h.mp4
            #EXT-X-BYTERANGE:9223372036854775807@9
            f.mp4
            """
        )
        #expect(
            Self.lines(playlist) == [
                "map 0 f.mp4 0..<100", "segment 0 f.mp4 100..<150", "segment 1 g.mp4 0..<10",
                "segment 2 f.mp4 150..<170", "segment 3 h.mp4", "segment 4 f.mp4",
            ]
        )
        #expect(playlist.references.map(\.hasMap) == [true, true, true, true, true, true])
    }

    @Test("keys that a player fetches by their URI are references; other key systems do not change")
    func keys() throws {
        let playlist = try Self.scan(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:2
            #EXT-X-KEY:METHOD=AES-128,URI="k0.key",IV=0x01
            a.ts
            #EXT-X-KEY:METHOD=SAMPLE-AES,URI="skd://fairplay",KEYFORMAT="com.apple.streamingkeydelivery"
            #EXT-X-KEY:METHOD=AES-128,URI="data:text/plain;base64,AAAA"
            #EXT-X-KEY:METHOD=AES-128,URI="SKD:x"
            #EXT-X-KEY:METHOD=NONE
            b.ts
            #EXT-X-KEY:METHOD=AES-128,KEYFORMAT="identity",URI="https://keys.example/k1"
            """
        )
        #expect(
            Self.lines(playlist) == [
                "key 0 k0.key", "segment 0 a.ts", "segment 1 b.ts", "key 2 https://keys.example/k1",
            ]
        )
    }

    @Test("variables have their values, from the playlist, its parent and its address")
    func variables() throws {
        let text = """
            #EXTM3U
            #EXT-X-TARGETDURATION:2
            #EXT-X-DEFINE:NAME="host",VALUE="https://a.example"
            #EXT-X-DEFINE:IMPORT="path"
            #EXT-X-DEFINE:QUERYPARAM="token"
            #EXT-X-MAP:URI="{$host}/init.mp4"
            {$host}/{$path}/1.ts?t={$token}
            {$unknown}/2.ts
            {$host
            """
        let playlist = try Self.scan(
            text,
            importing: ["path": "p", "x": "y"],
            query: ["token": "s/1"]
        )
        #expect(
            Self.lines(playlist) == [
                "map 0 https://a.example/init.mp4", "segment 0 https://a.example/p/1.ts?t=s/1",
                "segment 1 -", "segment 2 {$host",
            ]
        )
        #expect(playlist.variables == ["host": "https://a.example", "path": "p", "token": "s/1"])
    }

    @Test("a value that no quoted string may have, and values without end, have no effect")
    func valuesOutOfBounds() throws {
        let text = """
            #EXTM3U
            #EXT-X-TARGETDURATION:2
            #EXT-X-DEFINE:QUERYPARAM="quote"
            #EXT-X-DEFINE:QUERYPARAM="line"
            #EXT-X-DEFINE:NAME="bare",VALUE=a"b
            #EXT-X-DEFINE:NAME="long",VALUE="\(String(repeating: "x", count: 10_000))"
            {$quote}.ts
            {$line}.ts
            {$bare}.ts
            {$long}{$long}.ts
            """
        let playlist = try Self.scan(text, query: ["quote": "a\"b", "line": "a\r\n#EXT-X-ENDLIST"])
        #expect(playlist.references.map(\.uri) == [nil, nil, nil, nil])
        #expect(playlist.life == .live)
        let many =
            "#EXTM3U\n#EXT-X-DEFINE:NAME=\"v\",VALUE=\"\(String(repeating: "x", count: 16_000))\"\n"
            + String(repeating: "{$v}.ts\n", count: 2000)
        let known = try Self.scan(many).references.compactMap(\.uri)
        #expect(known.reduce(0) { $0 + $1.utf8.count } <= PlaylistLimits.bytes + 16_003)
    }

    @Test("a byte order mark may come first; a plain M3U and other texts are not HLS playlists")
    func content() throws {
        #expect(try Self.scan("\u{FEFF}#EXTM3U\n#EXT-X-VERSION:3\na.ts").references.count == 1)
        for text in [
            "#EXTM3U\n#EXTINF:3,Title\na.mp3\n", "", "#EXT-X-VERSION:3\n#EXTM3U", "<html>",
        ] {
            #expect(throws: PlaylistError.notHLS) { try Self.scan(text) }
        }
        #expect(Playlist.canBegin(with: Array("#EXTM3U".utf8)))
        #expect(Playlist.canBegin(with: [0xEF, 0xBB, 0xBF] + Array("#EXTM3U\n".utf8)))
        #expect(!Playlist.canBegin(with: Array(" #EXTM3U".utf8)))
    }

    @Test("bytes that are not UTF-8 stay in the text, and their reference has no URI")
    func foreignBytes() throws {
        let text =
            Array("#EXTM3U\n#EXT-X-VERSION:3\n".utf8) + [0xFF, 0xE9] + Array(".ts\nb.ts\n".utf8)
        let playlist = try PlaylistScanner.scan(text)
        #expect(playlist.references.map(\.uri) == [nil, "b.ts"])
        #expect(PlaylistEdit(of: playlist).text == text)
    }

    @Test("a text over a bound is an error with the reason")
    func bounds() throws {
        let head = "#EXTM3U\n#EXT-X-VERSION:3\n"
        let long = String(repeating: "a", count: PlaylistLimits.lineBytes)
        #expect(try Self.scan(head + long).references.count == 1)
        #expect(throws: PlaylistError.lineTooLong(3)) { try Self.scan(head + long + "a") }
        let many = head + String(repeating: "\n", count: PlaylistLimits.lines - 2)
        #expect(try Self.scan(many).references.isEmpty)
        #expect(throws: PlaylistError.tooManyLines) { try Self.scan(many + "\n") }
        let huge = head + String(repeating: "a.ts\n", count: PlaylistLimits.bytes / 5)
        #expect(throws: PlaylistError.tooLong) { try Self.scan(huge) }
    }

    @Test("numbers at the edges do not trap")
    func numbers() throws {
        for number in ["0", "9223372036854775807", "99999999999999999999", "-1", "x", ""] {
            let playlist = try Self.scan(
                """
                #EXTM3U
                #EXT-X-TARGETDURATION:\(number)
                #EXT-X-MEDIA-SEQUENCE:\(number)
                #EXT-X-BYTERANGE:\(number)@\(number)
                a.ts
                #EXT-X-BYTERANGE:\(number)
                a.ts
                #EXTINF:\(number),
                b.ts
                """
            )
            #expect(playlist.references.count == 3)
        }
    }
}
