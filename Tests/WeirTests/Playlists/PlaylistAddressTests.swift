// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Testing
import WeirHLS
import WeirHTTP
import WeirLoader
import WeirSource
import WeirTestKit

@testable import Weir

@Suite("The addresses of playlist items")
struct PlaylistAddressTests {
    private let list = String(repeating: "0a", count: 16)
    private let item = PlaylistItemID(sequence: 77, identifier: String(repeating: "f3", count: 16))
    private let seal = PlaylistSeal(SymmetricKey(data: [UInt8](repeating: 7, count: 32)))

    @Test("a sealed identity opens for its list alone")
    func roundTrip() {
        let text = self.seal.text(of: self.item, in: self.list)
        #expect(text.count == 76)
        #expect(self.seal.item(text[...], in: self.list) == self.item)
        #expect(PlaylistSeal.list(of: text[...]) == self.list)
        #expect(self.seal.item(text[...], in: self.item.identifier) == nil)
        let other = PlaylistSeal(SymmetricKey(data: [UInt8](repeating: 8, count: 32)))
        #expect(other.item(text[...], in: self.list) == nil)
    }

    @Test("a text with one other letter, a cut one and a longer one do not open")
    func forged() {
        let text = self.seal.text(of: self.item, in: self.list)
        for index in text.indices {
            for letter in ["A", "z", "_", "=", "é"] where letter != String(text[index]) {
                let forged = text[..<index] + letter + text[text.index(after: index)...]
                #expect(self.seal.item(forged, in: self.list) == nil, "\(forged)")
            }
            #expect(self.seal.item(text[..<index], in: self.list) == nil)
        }
        #expect(self.seal.item("\(text)A", in: self.list) == nil)
    }

    @Test(
        "the query parts that sign an address do not identify the item",
        arguments: [
            ("token=a&expires=5", ""), ("id=7&token=a&e=5", "?id=7"), ("e=5&st=2", "?e=5&st=2"),
            ("hdnts=x~y&v=1", "?v=1"), ("md5=a&v=1", "?md5=a&v=1"), ("md5=a&e=1", ""),
            ("CMCD=x&_HLS_msn=4&q=1", "?q=1"), ("", ""),
            ("auth_key=1-2-3", ""), ("Policy=p&Signature=s&Key-Pair-Id=k", ""),
            ("Token=A&Exp=1", ""),
        ]
    )
    func signatures(_ query: String, _ rest: String) {
        let given = query.isEmpty ? "" : "?\(query)"
        let names = PlaylistSignature.names(in: query)
        #expect(PlaylistSignature.query(given[...], without: names) == rest)
    }

    // MARK: Editions

    private func context(_ root: String) throws -> PlaylistContext {
        let url = try OriginURL(root)
        return PlaylistContext(
            root: url,
            headers: HTTPHeaderList(),
            authorizer: nil,
            credentials: { _ in nil },
            scope: .everyone,
            scopes: CacheScopes(directory: "", fleetSecret: [1]),
            load: LoadPolicy(),
            validator: nil,
            volatileQuery: [],
            sites: [],
            hosts: []
        )
    }

    private func edition(
        _ text: String,
        at base: String,
        of list: String? = nil,
        version: String = ""
    ) throws -> PlaylistEdition {
        PlaylistEdition(
            try PlaylistScanner.scan(Array(text.utf8)),
            at: try OriginURL(base),
            originTag: nil,
            serial: 1,
            version: version,
            of: (self.list, try OriginURL(list ?? base)),
            in: try self.context(base),
            seal: self.seal
        )
    }

    private static let film = """
        #EXTM3U
        #EXT-X-TARGETDURATION:4
        #EXT-X-MEDIA-SEQUENCE:5
        #EXT-X-KEY:METHOD=AES-128,URI="/k?token=KEYSECRET",IV=0x01
        #EXTINF:4,
        a.ts?token=FIRSTSECRET&expires=1
        #EXTINF:4,
        http://cdn.example/b?x=1&sig=SECONDSECRET
        #EXTINF:4,
        file:///etc/passwd
        #EXT-X-ENDLIST

        """

    @Test("a player gets relative addresses, and every other byte as it was")
    func forPlayers() throws {
        let edition = try self.edition(Self.film, at: "https://media.example/v/film.m3u8")
        let text = String(decoding: edition.text(below: "film.m3u8", query: "?q=1"), as: UTF8.self)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let given = Self.film.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count == given.count)
        for (line, given) in zip(lines, given) where given.hasPrefix("#") && !given.contains("URI=")
        {
            #expect(line == given)
        }
        let key = lines[3]
        #expect(key.hasPrefix(#"#EXT-X-KEY:METHOD=AES-128,URI="film.m3u8/~hls/~"#))
        #expect(key.hasSuffix(#"/key.key?q=1",IV=0x01"#))
        #expect(lines[5].hasSuffix("/5.ts?q=1") && lines[7].hasSuffix("/6.ts?q=1"))
        for secret in ["token", "SECRET", "sig=", "example", "passwd", "expires"] {
            #expect(!text.contains(secret))
        }
        let empty = String(decoding: edition.text(below: "", query: ""), as: UTF8.self)
        #expect(empty.contains("\n~hls/~"))
        let colon = String(decoding: edition.text(below: "a:b", query: ""), as: UTF8.self)
        #expect(colon.contains("\n./a:b/~hls/~"))
    }

    @Test("the stored text holds no signature, and names the same items at any place")
    func stored() throws {
        let edition = try self.edition(Self.film, at: "https://media.example/v/film.m3u8")
        let text = String(decoding: edition.stored, as: UTF8.self)
        for secret in ["token", "SECRET", "sig=", "expires", "passwd"] {
            #expect(!text.contains(secret), "\(text)")
        }
        #expect(text.contains("https://media.example/v/a.ts#weir-signed\n"))
        #expect(text.contains("http://cdn.example/b?x=1#weir-signed\n"))
        let again = try self.edition(text, at: "https://elsewhere.example/other.m3u8")
        #expect(again.digest == edition.digest)
        #expect(Set(again.items.keys) == Set(edition.items.keys))
        #expect(again.text(below: "f", query: "") == edition.text(below: "f", query: ""))
    }

    @Test("the stored text of a redirected playlist has the address that redirects led to")
    func redirected() throws {
        let root = "https://media.example/film.m3u8"
        let target = "https://cdn.example/x/film.m3u8?token=THIRDSECRET"
        let edition = try self.edition(Self.film, at: target, of: root)
        let stored = String(decoding: edition.stored, as: UTF8.self)
        #expect(!stored.contains("THIRDSECRET"))
        let base = try #require(PlaylistEdition.base(ofStored: edition.stored))
        #expect(base == (try OriginURL("https://cdn.example/x/film.m3u8")))
        let again = try self.edition(stored, at: "\(base)", of: root)
        #expect(again.digest == edition.digest)
        #expect(!String(decoding: again.text(below: "f", query: ""), as: UTF8.self).contains("cdn"))
    }

    @Test("a text of an origin names no base, and its stored form has no such line of its own")
    func foreignBase() throws {
        let line = "#EXT-X-DEFINE:NAME=\"weir:base\",VALUE=\"http://169.254.169.254/\"\n"
        let base = "https://media.example/v/film.m3u8"
        let edition = try self.edition(Self.film + line, at: base)
        #expect(edition.base == (try OriginURL(base)))
        #expect(PlaylistEdition.base(ofStored: edition.stored) == nil)
        #expect(!String(decoding: edition.stored, as: UTF8.self).contains("169.254"))
    }

    @Test("the segments of a live stream have their numbers in their identities, others do not")
    func liveNumbers() throws {
        func text(_ first: Int, _ end: String = "") -> String {
            "#EXTM3U\n#EXT-X-TARGETDURATION:4\n#EXT-X-MEDIA-SEQUENCE:\(first)\n#EXTINF:4,\na.ts\n\(end)"
        }
        let base = "https://media.example/v/live.m3u8"
        func identifiers(_ text: String, version: String = "") throws -> Set<String> {
            Set(try self.edition(text, at: base, version: version).items.keys.map(\.identifier))
        }
        #expect(try identifiers(text(1)) != identifiers(text(9)))
        #expect(try identifiers(text(1)) != identifiers(text(1), version: "2"))
        let end = "#EXT-X-ENDLIST\n"
        #expect(try identifiers(text(1, end)) == identifiers(text(9, end)))
        let event = "#EXT-X-PLAYLIST-TYPE:EVENT\n"
        #expect(try identifiers(text(0, event)) == identifiers(text(0, event + end)))
    }

    @Test("a mark is read as it was written")
    func marks() {
        for tag in [nil, "\"a b\""] {
            let text = PlaylistMark.Text(digest: "d", since: 7, isReplacement: tag == nil, tag: tag)
            #expect(PlaylistMark(PlaylistMark.complete(text).validator) == .complete(text))
        }
        #expect(PlaylistMark(PlaylistMark.live.validator) == .live)
        for other in ["v7", "hls1 ", "hls1 x y", "hls1 live x", "hls1 first b c d"] {
            #expect(PlaylistMark(.revision(other)) == nil)
        }
    }

    @Test("a signed item, and a key that only a token names, share nothing with other addresses")
    func signedIdentities() throws {
        let base = "https://media.example/film.m3u8"
        func item(_ line: String) throws -> String {
            let text = "#EXTM3U\n#EXT-X-TARGETDURATION:4\n\(line)\n#EXT-X-ENDLIST\n"
            let edition = try self.edition(text, at: base)
            let again = try self.edition(
                String(decoding: edition.stored, as: UTF8.self),
                at: base
            )
            #expect(Set(again.items.keys) == Set(edition.items.keys))
            return try #require(edition.items.keys.first?.identifier)
        }
        #expect(try item("#EXTINF:1,\na.ts?token=1") == item("#EXTINF:1,\na.ts?token=2"))
        #expect(try item("#EXTINF:1,\na.ts?token=1") != item("#EXTINF:1,\na.ts"))
        #expect(try item("#EXTINF:1,\na.ts?hash=1") != item("#EXTINF:1,\na.ts?hash=2"))
        func key(_ query: String) -> String { "#EXT-X-KEY:METHOD=AES-128,URI=\"k?\(query)\"" }
        #expect(try item(key("token=1")) != item(key("token=2")))
        #expect(try item(key("token=1&exp=1")) == item(key("token=2&exp=2")))
    }

    @Test(
        "the segment with the same number takes the place of a refused one if nothing else changed"
    )
    func successors() throws {
        let base = "https://media.example/film.m3u8"
        func text(_ session: String, _ durations: [Int]) -> String {
            "#EXTM3U\n#EXT-X-TARGETDURATION:9\n"
                + durations.enumerated().map { "#EXTINF:\($1),\n\(session)/\($0).ts\n" }.joined()
                + "#EXT-X-ENDLIST\n"
        }
        let first = try self.edition(text("s1", [4, 5]), at: base)
        let item = try #require(first.items.values.first { $0.id.sequence == 2 })
        let second = try self.edition(text("s2", [4, 5]), at: base)
        #expect(second.successor(of: item, in: first)?.url.path == "/s2/1.ts")
        let inserted = try self.edition(text("s2", [3, 4, 5]), at: base)
        #expect(inserted.successor(of: item, in: first) == nil)
        let other = try self.edition(text("s2", [4, 6]), at: base)
        #expect(other.successor(of: item, in: first) == nil)
    }

    @Test("a signature that alone tells two segments apart belongs to their identities")
    func onlySignatures() throws {
        let text = """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXTINF:4,
            get?token=first
            #EXTINF:4,
            get?token=second
            #EXT-X-ENDLIST

            """
        let edition = try self.edition(text, at: "https://media.example/film.m3u8")
        #expect(Set(edition.items.keys.map(\.identifier)).count == 2)
        let stored = String(decoding: edition.stored, as: UTF8.self)
        #expect(!stored.contains("first") && !stored.contains("second"))
        let again = try self.edition(stored, at: "https://media.example/film.m3u8")
        #expect(Set(again.items.keys) == Set(edition.items.keys))
    }

    @Test("parts of one file have one address, and a segment without a known extension gets one")
    func names() throws {
        let text = """
            #EXTM3U
            #EXT-X-TARGETDURATION:4
            #EXT-X-MAP:URI="all.mp4",BYTERANGE="10@0"
            #EXTINF:4,
            #EXT-X-BYTERANGE:20@10
            all.mp4
            #EXTINF:4,
            #EXT-X-BYTERANGE:20
            all.mp4
            #EXTINF:4,
            chunk.jpg
            #EXT-X-ENDLIST

            """
        let edition = try self.edition(text, at: "https://media.example/film.m3u8")
        let given = String(decoding: edition.text(below: "f", query: ""), as: UTF8.self)
        let addresses = PlaylistScene.addresses(given)
        #expect(addresses[0] == addresses[1])
        #expect(addresses[0].hasSuffix("/media.mp4"))
        #expect(addresses[2].hasSuffix("/2.m4s"))
        #expect(given.contains("#EXT-X-BYTERANGE:20@10\n"))
    }
}
