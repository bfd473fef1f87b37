// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import Weir
import WeirAudio
import WeirHTTP
import WeirSource

@testable import WeirCommand

@Suite("Entries of playlists")
struct PlaylistLocationTests {
    @Test(
        "of a list at a URL are URLs, in every relative form",
        arguments: [
            ("https://b.example/x", "https://b.example/x"), ("a.mp3", "https://a.example/l/a.mp3"),
            ("/a.mp3?t=1", "https://a.example/a.mp3?t=1"),
            ("../a b.mp3", "https://a.example/a%20b.mp3"),
            ("//b.example/x", "https://b.example/x"),
        ]
    )
    func urls(_ location: String, _ url: String) throws {
        let list = PlaylistLocation.url("https://me:pw@a.example/l/list.m3u?k=1")
        #expect(PlaylistLocation(location, from: list) == .url(url))
    }

    @Test(
        "of a list from elsewhere never name files on this computer",
        arguments: [
            "file:///etc/passwd", "ftp://a.example/x", "smb://a/b",
        ]
    )
    func foreign(_ location: String) throws {
        let url = PlaylistLocation.url("https://a.example/l/list.m3u")
        #expect(PlaylistLocation(location, from: url) == nil)
        let storage = PlaylistLocation.path(try FolderPath("/Music/list.m3u"))
        #expect(PlaylistLocation(location, from: storage) == nil)
    }

    @Test(
        "of a list in a storage are files of the storage, and lead no higher than its root",
        arguments: [
            ("a.mp3", "/Music/a.mp3"), ("./b/c d.mp3", "/Music/b/c d.mp3"), ("/x.mp3", "/x.mp3"),
            ("../../../x.mp3", "/x.mp3"),
        ]
    )
    func storage(_ location: String, _ path: String) throws {
        let list = PlaylistLocation.path(try FolderPath("/Music/list.m3u"))
        #expect(PlaylistLocation(location, from: list) == .path(try FolderPath(path)))
    }

    @Test(
        "of a list on this computer are files beside it",
        arguments: [
            ("a.mp3", "/m/a.mp3"), ("/x/a.mp3", "/x/a.mp3"), ("b\\c.mp3", "/m/b\\c.mp3"),
            ("file:///x/a%20b.mp3", "file:///x/a%20b.mp3"),
        ]
    )
    func files(_ location: String, _ file: String) {
        #expect(PlaylistLocation(location, from: .file("/m/list.m3u")) == .file(file))
    }

    @Test(
        "of a list of files may be written as on another system, or as a URL, which XSPF requires",
        arguments: [
            ("a.mp3", .m3u, ["/m/a.mp3"]), ("100%.mp3", .m3u, ["/m/100%.mp3"]),
            ("b\\c.mp3", .m3u, ["/m/b\\c.mp3", "/m/b/c.mp3"]),
            ("b%20c.mp3", .pls, ["/m/b%20c.mp3", "/m/b c.mp3"]),
            ("b%20c.mp3", .xspf, ["/m/b c.mp3", "/m/b%20c.mp3"]),
            (
                "d\\b%20c.mp3", .m3u,
                ["/m/d\\b%20c.mp3", "/m/d/b%20c.mp3", "/m/d\\b c.mp3", "/m/d/b c.mp3"]
            ), ("file:///x/a%20b.mp3", .xspf, ["file:///x/a%20b.mp3"]), ("ftp://a/b%20c", .m3u, []),
        ] as [(String, Playlist.Kind, [String])]
    )
    func candidates(_ location: String, _ kind: Playlist.Kind, _ files: [String]) throws {
        let found = PlaylistLocation.candidates(location, in: kind, from: .file("/m/list"))
        #expect(found == files.map { .file($0) })
        let storage = PlaylistLocation.path(try FolderPath("/m/list"))
        let paths = try files.filter { !$0.contains("://") }.map { try FolderPath($0) }
        #expect(
            PlaylistLocation.candidates(location, in: kind, from: storage)
                == paths.map { .path($0) }
        )
    }

    @Test(
        "of a list at a URL may have another normal form on the server",
        arguments: [
            ("caf\u{E9}.mp3", ["caf%C3%A9.mp3", "cafe%CC%81.mp3"]),
            ("cafe\u{301}.mp3", ["cafe%CC%81.mp3", "caf%C3%A9.mp3"]),
            ("caf%C3%A9.mp3", ["caf%C3%A9.mp3", "cafe%CC%81.mp3"]),
            ("cafe%CC%81.mp3", ["cafe%CC%81.mp3", "caf%C3%A9.mp3"]),
            ("a%20b.mp3", ["a%20b.mp3"]), ("caf%C3%A9%3F.mp3", ["caf%C3%A9%3F.mp3"]),
            ("a.mp3?t=1", ["a.mp3?t=1"]),
        ]
    )
    func normalForms(_ location: String, _ names: [String]) {
        let list = PlaylistLocation.url("https://a.example/l/list.m3u")
        #expect(
            PlaylistLocation.candidates(location, in: .m3u, from: list)
                == names.map { .url("https://a.example/l/\($0)") }
        )
    }

    @Test("files come in natural order")
    func order() {
        let names = ["10 b", "2 a", "1 c", "02 a", "Track 9", "track 10", "track", "a", "B"]
        let sorted = names.sorted { $0.precedesNaturally($1) }
        #expect(
            sorted == ["1 c", "02 a", "2 a", "10 b", "a", "B", "track", "Track 9", "track 10"]
        )
        let long = String(repeating: "9", count: 400)
        #expect("a8".precedesNaturally("a\(long)"))
        #expect(!"a".precedesNaturally("a"))
    }

    @Test("the order is total: of two different names exactly one comes first")
    func strict() {
        let parts = ["", "0", "00", "1", "01", "a", "A", "-", "10", "b", "é", "\u{301}", "ж"]
        let names = Set(parts.flatMap { first in parts.map { first + $0 } }).sorted()
        for left in names {
            for right in names {
                let both = (
                    left.precedesNaturally(right), right.precedesNaturally(left)
                )
                #expect(both.0 != both.1 || left == right && !both.0, "\(left) \(right)")
            }
        }
        let sorted = names.sorted { $0.precedesNaturally($1) }
        for (index, name) in sorted.enumerated() {
            #expect(sorted[(index + 1)...].allSatisfy(name.precedesNaturally), "\(name)")
        }
    }
}
