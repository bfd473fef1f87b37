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
            ("hdnts=x~y&v=1", "?v=1"), ("CMCD=x&_HLS_msn=4&q=1", "?q=1"), ("", ""),
            ("auth_key=1-2-3", ""), ("Policy=p&Signature=s&Key-Pair-Id=k", ""),
            ("Token=A&Exp=1", ""),
        ]
    )
    func signatures(_ query: String, _ rest: String) {
        let given = query.isEmpty ? "" : "?\(query)"
        #expect(PlaylistSignature.removed(from: given[...]) == rest)
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
        #expect(text.contains("https://media.example/v/a.ts\n"))
        #expect(text.contains("http://cdn.example/b?x=1\n"))
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
        let again = try self.edition(stored, at: root)
        #expect(again.base == (try OriginURL("https://cdn.example/x/film.m3u8")))
        #expect(again.digest == edition.digest)
        #expect(!String(decoding: again.text(below: "f", query: ""), as: UTF8.self).contains("cdn"))
    }

    @Test("the segments of another version are other resources, at the same addresses")
    func versions() throws {
        let base = "https://media.example/v/film.m3u8"
        let first = try self.edition(Self.film, at: base)
        let second = try self.edition(Self.film, at: base, version: "abc")
        #expect(Set(first.items.keys).isDisjoint(with: second.items.keys))
        #expect(first.structure == second.structure && first.digest == second.digest)
        #expect(Set(first.items.values.map(\.url)) == Set(second.items.values.map(\.url)))
        let longer = Self.film.replacing("#EXTINF:4,\na", with: "#EXTINF:5,\na")
        #expect(try self.edition(longer, at: base).structure != first.structure)
        var text = PlaylistMark.Text(digest: "d", structure: "one")
        text.replace(PlaylistMark.Text(digest: "e", structure: "one", version: "v"))
        #expect(text.version == "v" && text.replaces)
        text.replace(PlaylistMark.Text(digest: "e", structure: "two"))
        #expect(text.version == "one" && !text.replaces)
        for tag in [nil, "\"a b\""] {
            text.tag = tag
            #expect(PlaylistMark(PlaylistMark.complete(text).validator) == .complete(text))
        }
        #expect(PlaylistMark(PlaylistMark.live.validator) == .live)
        #expect(PlaylistMark(.revision("v7")) == nil)
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
