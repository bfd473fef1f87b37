// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Testing
import WeirCache
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("The output of weir cache list")
struct CacheListTests {
    private static func resource(
        _ name: String,
        held: Int64,
        of length: Int64?,
        used: TimeInterval = 0,
        account: String = "",
        isPinned: Bool = false,
        identifier: String = String(repeating: "3f", count: 16)
    ) -> CachedResource {
        CachedResource(
            identifier: identifier,
            generation: GenerationID(rawValue: 1),
            display: "https://a.example/\(name)",
            account: account,
            length: length,
            heldByteCount: held,
            mediaType: nil,
            name: nil,
            lastUse: Date(timeIntervalSince1970: used),
            created: Date(timeIntervalSince1970: used),
            isPinned: isPinned
        )
    }

    private static let resources = [
        resource("b%20%C3%BC.mp3", held: 1_400_000, of: 1_400_000, used: 300),
        resource("10.mp3", held: 500, of: 1_000_000, used: 200, account: "me", isPinned: true),
        resource("9.mp3", held: 7, of: nil, used: 100),
    ]

    @Test("columns are aligned, and names are shown decoded")
    func columns() {
        let lines = CacheListCommand.lines(Self.resources)
        let places = lines.map { line in
            line.range(of: "https://").map {
                line.distance(from: line.startIndex, to: $0.lowerBound)
            }
        }
        #expect(Set(places).count == 1)
        #expect(lines[0].hasPrefix("3f3f3f3f3f3f  1.4 MB  whole "))
        #expect(lines[0].hasSuffix("  https://a.example/b ü.mp3"))
        #expect(lines[1].contains("  0 % of 1.0 MB  "))
        #expect(lines[1].contains("  pinned  me  "))
        #expect(lines[2].contains("  of unknown length  "))
    }

    @Test("a playlist and its parts are one line, and other resources of one address are not")
    func parts() {
        let resources = [
            Self.resource("film.m3u8#hls:2.ts", held: 2000, of: 2000, used: 90, isPinned: true),
            Self.resource("song.mp3", held: 1, of: 1),
            Self.resource("film.m3u8", held: 500, of: 500, used: 80),
            Self.resource("film.m3u8#hls:1.ts", held: 1500, of: 3000, used: 95),
            Self.resource("live.m3u8#hls:7.ts", held: 1000, of: 1000),
            Self.resource("song.mp3", held: 1, of: 1),
        ]
        let lines = CacheListCommand.lines(resources)
        #expect(lines.count == 4)
        #expect(lines[0].contains("4.0 kB") && lines[0].contains("  2 parts "))
        #expect(lines[0].contains("  pinned  ") && lines[0].hasSuffix("/film.m3u8"))
        #expect(lines[2].contains("  1 part ") && lines[2].hasSuffix("/live.m3u8"))
        let all = CacheListCommand.lines(resources, showsParts: true)
        #expect(all.count == 6)
        #expect(all[0].hasSuffix("/film.m3u8#hls:2.ts") && all[0].contains("  whole "))
    }

    @Test("a playlist's name selects its parts, and a part's name only the part")
    func selectsParts() {
        let resources = ["film.m3u8", "film.m3u8#hls:1.ts", "film.m3u8#hls:2.ts", "a.mp3"].map {
            Self.resource($0, held: 1, of: 1, identifier: String(repeating: "ab", count: 16))
        }
        func selected(_ name: String, among all: [CachedResource]) -> [String] {
            CacheSelection.selected(name, CacheSelection.Meaning(), among: all).map(\.display)
        }
        let list = "https://a.example/film.m3u8"
        #expect(selected(list, among: resources).count == 3)
        #expect(selected("\(list)?token=x", among: resources).count == 3)
        #expect(selected("\(list)#hls:2.ts", among: resources) == ["\(list)#hls:2.ts"])
        // The text of a live playlist is not in the cache.
        #expect(selected(list, among: Array(resources[1...])).count == 2)
    }

    @Test("an empty column is left out, and no character moves the cursor")
    func few() {
        let lines = CacheListCommand.lines([Self.resource("a%1B%5B2J", held: 0, of: 0)])
        #expect(!lines[0].contains("pinned"))
        #expect(lines[0].hasSuffix("  https://a.example/a%1B%5B2J"))
        #expect(CacheListCommand.lines([]).isEmpty)
    }

    @Test(
        "a filter, an account and an order choose the lines",
        arguments: [
            ([], ["b%20%C3%BC.mp3", "10.mp3", "9.mp3"]),
            (["ü"], ["b%20%C3%BC.mp3"]), (["9"], ["9.mp3"]),
            (["MP3", "--account", "me"], ["10.mp3"]),
            (["--sort", "name"], ["9.mp3", "10.mp3", "b%20%C3%BC.mp3"]),
            (["--sort", "size"], ["b%20%C3%BC.mp3", "10.mp3", "9.mp3"]),
        ]
    )
    func chosen(_ words: [String], _ names: [String]) throws {
        let command = try CacheListCommand.parse(words)
        #expect(
            command.chosen(Self.resources).map { $0.display }
                == names.map { "https://a.example/\($0)" }
        )
    }

    @Test("a filter does not match the escapes of a name, but matches a copied URL")
    func escapes() throws {
        let resources = [Self.resource("Track%20024.mp3", held: 1, of: 1)]
        for (filter, count) in [
            ("002", 0), ("%20", 0), ("024", 1), ("track 02", 1),
            ("https://a.example/Track%20024.mp3", 1), ("HTTPS://a.example/track 024", 1),
        ] {
            let command = try CacheListCommand.parse([filter])
            #expect(command.chosen(resources).count == count, "\(filter)")
        }
    }

    @Test("a filter finds exactly the resources whose line shows its text")
    func filterIsShown() throws {
        let characters = Array("abAB019 %#?&+-_()'ü\u{301}é日🎵ß/~\t\u{1B}").map(String.init)
        var command = try CacheListCommand.parse([])
        for seed in UInt64(0)..<400 {
            var random = SeededGenerator(seed: seed)
            func text(_ length: Int) -> String {
                (0..<length).map { _ in characters.randomElement(using: &random) ?? "a" }.joined()
            }
            let allowed = CharacterSet(charactersIn: "abAB019-_~/")
            let resources = (0..<5).map { number in
                let name = text(Int.random(in: 1...8, using: &random))
                let encoded = name.addingPercentEncoding(withAllowedCharacters: allowed) ?? name
                return Self.resource(
                    encoded,
                    held: 1,
                    of: 1,
                    identifier: String(repeating: "\(number)f", count: 16)
                )
            }
            let shown = CacheListCommand.lines(resources).map { line in
                line.range(of: "https://").map { String(line[$0.lowerBound...]) } ?? ""
            }
            let named = shown.randomElement(using: &random) ?? ""
            let start = Int.random(in: 0..<named.count, using: &random)
            let filters = [
                text(Int.random(in: 1...2, using: &random)), "0", "2", "%",
                String(named.dropFirst(start).prefix(3)),
            ]
            for filter in filters where !filter.hasPrefix("-") && !filter.contains("://") {
                // The test sets the filter directly: parsing it costs more than the rest of this
                // test.
                command.filter = filter
                let expected = zip(resources, shown).filter { _, line in
                    line.lowercased().contains(filter.printable.lowercased())
                }
                #expect(
                    command.chosen(resources).map(\.identifier) == expected.map(\.0.identifier),
                    "seed \(seed), filter \(filter)"
                )
            }
        }
    }

    private static let albums = [
        resource("Album%201/a.mp3", held: 1, of: 1, identifier: String(repeating: "a1", count: 16)),
        resource("Album%201/b.mp3", held: 1, of: 1, identifier: String(repeating: "b1", count: 16)),
        resource(
            "Album%2010/a.mp3",
            held: 1,
            of: 1,
            identifier: String(repeating: "c1", count: 16)
        ),
        resource(
            "face.mp3",
            held: 1,
            of: 1,
            identifier: "face" + String(repeating: "0", count: 28)
        ),
    ]

    @Test(
        "a name selects one resource, else a folder's content, else the lines that contain it",
        arguments: [
            ("https://a.example/face.mp3", ["face"]), ("face", ["face"]), ("a1a1", ["a1a1"]),
            ("https://a.example/Album%201", ["a1a1", "b1b1"]),
            ("https://a.example/Album 1/", ["a1a1", "b1b1"]),
            ("https://a.example/Album%201/a.mp3", ["a1a1"]),
            ("https://a.example/", ["a1a1", "b1b1", "c1c1", "face"]),
            ("album 1", ["a1a1", "b1b1", "c1c1"]), ("a.mp3", ["a1a1", "c1c1"]),
            ("archive:/Album 1", ["a1a1", "b1b1"]),
        ]
    )
    func listed(_ name: String, _ expected: [String]) throws {
        let meaning = CacheSelection.Meaning(
            folders: name == "archive:/Album 1" ? ["https://a.example/Album%201/"] : []
        )
        let found = try CacheSelection.parse([]).selected([name], among: Self.albums) { _ in meaning
        }
        #expect(found.map { String($0.identifier.prefix(4)) } == expected)
        // `cache list` selects the same resources.
        let listed = try CacheListCommand.parse([name]).chosen(Self.albums, meaning: meaning)
        #expect(listed.map(\.identifier) == found.map(\.identifier))
    }

    @Test(
        "a name that selects nothing is an error, which explains that the cache has no local files"
    )
    func nothing() throws {
        let nothing = #expect(throws: CommandError.self) {
            try CacheSelection.parse([]).selected(["zzz"], among: Self.albums)
        }
        #expect(nothing?.status == .notFound)
        // A command that removes without asking does not search the list's lines for the name.
        for (name, isTaken) in [("a.mp3", false), ("https://a.example/Album 1", true)] {
            let found = try? CacheSelection.parse([])
                .selected([name], takesTexts: false, among: Self.albums)
            #expect((found != nil) == isTaken, "\(name)")
        }
        let local = #expect(throws: CommandError.self) {
            try CacheSelection.parse([]).selected(["disk:/a?b.mp3"], among: Self.albums) { _ in
                CacheSelection.Meaning(localSource: "disk")
            }
        }
        #expect(local.map { "\($0)".contains("disk: is a folder of this machine") } == true)
    }

    @Test(
        "the listed URL names the same resource",
        arguments: [
            ("100%25.mp3", "100%25.mp3"), ("50%25%20off%20%C3%BC.mp3", "50%25 off ü.mp3"),
            ("a%23b%3Fc%2Fd.mp3", "a%23b%3Fc%2Fd.mp3"), ("a%20", "a%20"), ("100%.mp3", "100%.mp3"),
            ("%FF.mp3", "%FF.mp3"), ("b%c3%bc.mp3", "b%c3%bc.mp3"), ("a(1)[2].mp3", "a(1)[2].mp3"),
            ("%7Bx%7D%5E.mp3", "{x}^.mp3"),
        ]
    )
    func readable(_ path: String, _ shown: String) throws {
        let resource = Self.resource(path, held: 1, of: 1)
        #expect(resource.readableURL == "https://a.example/\(shown)")
        #expect(try OriginURL(resource.readableURL).display == resource.display)
    }

    @Test("a printed URL selects its resource")
    func named() throws {
        for text in ["https://a.example/b ü.mp3", "https://a.example/b%20%C3%BC.mp3?token=x"] {
            let found = try CacheSelection.parse([]).selected([text], among: Self.resources)
            #expect(found.map(\.display) == ["https://a.example/b%20%C3%BC.mp3"])
        }
    }
}
