// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirHLS

@Suite("Changing an HLS playlist")
struct PlaylistEditTests {
    private static func edited(_ text: String) throws -> String {
        let playlist = try PlaylistScanner.scan(Array(text.utf8))
        var edit = PlaylistEdit(of: playlist)
        for reference in playlist.references {
            edit.replace(
                reference,
                with: "id\(reference.sequence).\(reference.role.isPlaylist ? "m3u8" : "bin")"
            )
        }
        return String(decoding: edit.text, as: UTF8.self)
    }

    @Test("URIs are replaced, and every other byte stays, unknown tags and line ends included")
    func uris() throws {
        let text = try Self.edited(
            "#EXTM3U\r\n#EXT-X-VERSION:6\r\n#EXT-X-OWN:URI=\"keep\",A=1\r\n#EXT-X-KEY:METHOD=AES-128,URI=\"a,b=c\",IV=0X1\r\n"
                + "#EXTINF:2, Title \"x\"\r\n  a.ts \r\n#comment http://x\r\n\n#EXTINF:2,\nhttps://h/b.ts?s=1\n#EXT-X-ENDLIST"
        )
        #expect(
            text
                == "#EXTM3U\r\n#EXT-X-VERSION:6\r\n#EXT-X-OWN:URI=\"keep\",A=1\r\n#EXT-X-KEY:METHOD=AES-128,URI=\"id0.bin\",IV=0X1\r\n"
                + "#EXTINF:2, Title \"x\"\r\n  id0.bin \r\n#comment http://x\r\n\n#EXTINF:2,\nid1.bin\n#EXT-X-ENDLIST"
        )
    }

    @Test("variables have their values, and their tags are removed")
    func variables() throws {
        let text = try Self.edited(
            """
            #EXTM3U
            #EXT-X-DEFINE:NAME="n",VALUE="Eins"
            #EXT-X-MEDIA:TYPE=AUDIO,NAME="{$n} {$m}",URI="{$n}.m3u8"
            #EXT-X-MEDIA:TYPE=AUDIO,NAME="{$n}",LANGUAGE="{$n}"
            #EXT-X-STREAM-INF:BANDWIDTH=1
            {$n}.m3u8
            """
        )
        #expect(
            text == """
                #EXTM3U
                #EXT-X-MEDIA:TYPE=AUDIO,NAME="{$n} {$m}",URI="id0.m3u8"
                #EXT-X-MEDIA:TYPE=AUDIO,NAME="Eins",LANGUAGE="Eins"
                #EXT-X-STREAM-INF:BANDWIDTH=1
                id1.m3u8
                """
        )
    }

    @Test("an address that stays gets the values of its variables, whose definitions are removed")
    func opaqueVariables() throws {
        let text = try Self.edited(
            """
            #EXTM3U
            #EXT-X-DEFINE:NAME="n",VALUE="Eins"
            #EXTINF:4,
            data:text/plain,{$n}
            #EXTINF:4,
            skd:one
            """
        )
        #expect(
            text == """
                #EXTM3U
                #EXTINF:4,
                data:text/plain,Eins
                #EXTINF:4,
                skd:one
                """
        )
    }

    @Test("a value with the start of a variable has no effect")
    func variableInValue() throws {
        let text = try Self.edited(
            "#EXTM3U\n#EXT-X-DEFINE:NAME=\"n\",VALUE=\"{$n}\"\n#EXTINF:4,\nskd:{$n}\n"
        )
        #expect(text == "#EXTM3U\n#EXTINF:4,\nid0.bin\n")
    }

    @Test("content steering and the tags of low latency are removed")
    func removed() throws {
        let text = try Self.edited(
            """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-SERVER-CONTROL:CAN-BLOCK-RELOAD=YES,PART-HOLD-BACK=1.0
            #EXT-X-PART-INF:PART-TARGET=0.33
            #EXT-X-CONTENT-STEERING:SERVER-URI="https://s.example/"
            #EXTINF:4,
            a.ts
            #EXT-X-PART:DURATION=0.33,URI="b.1.ts"
            #EXT-X-PRELOAD-HINT:TYPE=PART,URI="b.2.ts"
            #EXT-X-RENDITION-REPORT:URI="../other.m3u8",LAST-MSN=2
            """
        )
        #expect(text == "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXTINF:4,\nid0.bin\n")
    }

    @Test("a text of any bytes does not trap, and an edit of it can be read again")
    func anyBytes() throws {
        let pieces = [
            "#EXTM3U\n", "#EXT-X-TARGETDURATION:", "2\n", "#EXTINF:", "4.0,", "\r\n", "a.ts\n",
            "#EXT-X-KEY:", "URI=\"",
            "\"", ",", "=", "{$", "}", "#EXT-X-DEFINE:NAME=\"a\",VALUE=\"b\"\n",
            "#EXT-X-BYTERANGE:", "@", "99999",
            "#EXT-X-STREAM-INF:\n", "#EXT-X-MAP:URI=\"m\",BYTERANGE=\"3@", "\u{FEFF}", "é",
            "#EXT-X-ENDLIST", " ",
        ].map { Array($0.utf8) }
        for seed in 1...UInt64(TestLength.short(300, long: 200_000)) {
            var generator = SeededGenerator(seed: seed)
            var text = Array("#EXTM3U\n#EXT-X-VERSION:3\n".utf8)
            for _ in 0..<Int.random(in: 0...40, using: &generator) {
                text += pieces.randomElement(using: &generator) ?? []
                if Int.random(in: 0..<9, using: &generator) == 0 {
                    text.append(UInt8.random(in: 0...255, using: &generator))
                }
            }
            let playlist = try PlaylistScanner.scan(text)
            var edit = PlaylistEdit(of: playlist)
            for (number, reference) in playlist.references.enumerated() {
                edit.replace(reference, with: "id\(number)")
            }
            let again = try PlaylistScanner.scan(edit.text)
            #expect(again.references.count == playlist.references.count, "seed \(seed)")
            #expect(
                again.references.enumerated().allSatisfy { $1.uri == "id\($0)" },
                "seed \(seed)"
            )
            #expect(PlaylistEdit(of: again).text.count <= edit.text.count, "seed \(seed)")
        }
    }
}
