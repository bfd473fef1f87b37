// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Synchronization
import Testing
import Weir
import WeirLive
import WeirPlayback
import WeirTestKit

@testable import WeirCommand

@Suite("The queue of weir play")
struct PlayQueueTests {
    private let folder = TemporaryDirectory()

    /// The queue's items for these names, and the queue's notes.
    private func queue(_ names: [String], stations: String = "") async throws
        -> (entries: [PlayerItem], notes: [String])
    {
        let config = self.folder.path(of: "config.toml")
        try Data().write(to: URL(fileURLWithPath: config))
        let command = try PlayCommand.parse(
            names + ["--cache", self.folder.path(of: "cache"), "--config", config]
        )
        let settings = try MediaSettings(names, command.options)
        let notes = Mutex<[String]>([])
        let found = try await settings.withLibrary { library in
            let stations = try StationList(file: "stations.toml", text: stations)
            return try await PlayQueue(
                names,
                MediaResolver(library: library, settings: settings, stations: stations)
            ) {
                line in
                notes.withLock { $0.append(line) }
            }.entries()
        }
        return (found, notes.withLock { $0 })
    }

    private func file(_ name: String, _ text: String = "x") throws -> String {
        let path = self.folder.path(of: name)
        let folder = (path as NSString).deletingLastPathComponent
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    private func names(_ entries: [PlayerItem]) -> [String] {
        entries.map { $0.name ?? $0.station?.name ?? "" }
    }

    @Test(
        "a folder gives the sound files in it and in its folders, in natural order"
    )
    func folders() async throws {
        let names = [
            "10 z.mp3", "9 a.flac", "cover.jpg", "list.m3u", "CD 10/x.mp3", "CD 2/y.mp3",
            "CD 2/more/z.mp3", "._9 a.flac", ".hidden/a.mp3",
        ]
        for name in names {
            _ = try self.file("album/\(name)")
        }
        let (entries, _) = try await self.queue([self.folder.path(of: "album")])
        #expect(
            self.names(entries) == [
                "9 a.flac", "10 z.mp3", "CD 2/y.mp3", "CD 2/more/z.mp3", "CD 10/x.mp3",
            ]
        )
        #expect(entries.allSatisfy { $0.positionDigest != nil && $0.station == nil })
        await #expect(throws: CommandError.self) {
            try await self.queue([self.folder.path(of: "album/CD 2/none")])
        }
    }

    @Test("a file has the same remembered position, from its folder or by its name")
    func digest() async throws {
        let path = try self.file("album/a.mp3")
        let (one, _) = try await self.queue([path])
        let (all, _) = try await self.queue([self.folder.path(of: "album")])
        #expect(one.map(\.positionDigest) == all.map(\.positionDigest))
        #expect(one.count == 1)
    }

    @Test("a list gives its entries with their titles, and reports entries that cannot be played")
    func lists() async throws {
        _ = try self.file("m/a.mp3")
        _ = try self.file("m/deep/b.mp3")
        let list = try self.file(
            "m/list.m3u",
            """
            #EXTM3U
            #EXTINF:5,The first
            a.mp3
            deep/b.mp3
            gone.mp3
            http://radio.example:8000/live
            https://files.example/c.mp3
            """
        )
        let (entries, notes) = try await self.queue([list])
        #expect(self.names(entries) == ["The first", "b.mp3", "live", "c.mp3"])
        #expect(entries.map { $0.station != nil } == [false, false, true, false])
        try #require(notes.count == 2)
        #expect(notes[0].contains("1 of the 5 entries"))
        #expect(notes[1].hasPrefix("  gone.mp3: There is no file or folder"))
    }

    @Test(
        "more entries than the limit are reported, for a list, for lists together and for the command line"
    )
    func limits() async throws {
        let lines = String(repeating: "http://files.example/a.mp3\n", count: PlayQueue.longest)
        let list = try self.file("m/list.m3u", lines)
        let (whole, none) = try await self.queue([list])
        #expect(whole.count == PlayQueue.longest && none.isEmpty)
        let longer = try self.file("m/longer.m3u", lines + "http://files.example/b.mp3\n")
        let two = try self.file("m/two.m3u", "list.m3u\nlist.m3u\n")
        for (names, display) in [
            ([longer], longer), ([two], two), ([list, list], "The command line"),
        ] {
            let (entries, notes) = try await self.queue(names)
            #expect(entries.count == PlayQueue.longest)
            #expect(notes.count == 1)
            #expect(notes.first?.hasPrefix("warning: \(display) names more than 10000 ent") == true)
        }
    }

    @Test("a list's paths are found in every spelling")
    func spellings() async throws {
        for name in ["deep/b c.mp3", "100%25.mp3", "d\\e.mp3"] { _ = try self.file("m/\(name)") }
        let lines = ["deep\\b c.mp3", "deep/b%20c.mp3", "100%25.mp3", "100%2525.mp3", "d\\e.mp3"]
        let list = try self.file("m/list.m3u", lines.joined(separator: "\r\n"))
        let (entries, notes) = try await self.queue([list])
        #expect(
            self.names(entries)
                == ["b c.mp3", "b c.mp3", "100%25.mp3", "100%25.mp3", "d\\e.mp3"]
        )
        #expect(notes.isEmpty)
        let tracks = ["deep/b%20c.mp3", "100%2525.mp3"]
            .map { "<track><location>\($0)</location></track>" }
        let markup = try self.file(
            "m/list.xspf",
            "<?xml version=\"1.0\"?><playlist><trackList>\(tracks.joined())</trackList></playlist>"
        )
        let (decoded, none) = try await self.queue([markup])
        #expect(self.names(decoded) == ["b c.mp3", "100%25.mp3"])
        #expect(none.isEmpty)
    }

    @Test("a length in a list marks a URL without a file's name as a file, and -1 as a station")
    func promises() async throws {
        let list = try self.file(
            "list.m3u",
            """
            #EXTM3U
            #EXTINF:215,A song
            http://music.example/rest/stream?id=1
            #EXTINF:-1,A station
            http://radio.example/live
            """
        )
        let (entries, _) = try await self.queue([list])
        #expect(self.names(entries) == ["A song", "A station"])
        #expect(entries.map { $0.station != nil } == [false, true])
    }

    @Test("of lists that name each other, the other entries play, and the loop is reported")
    func loops() async throws {
        _ = try self.file("a.m3u", "b.m3u\n./x.mp3\n")
        _ = try self.file("b.m3u", "a.m3u\n")
        _ = try self.file("x.mp3")
        let (entries, notes) = try await self.queue([self.folder.path(of: "a.m3u")])
        #expect(self.names(entries) == ["x.mp3"])
        #expect(notes.contains { $0.contains("contains itself, through other playlists") })
    }

    @Test("a list that names only itself is an error")
    func namesItself() async throws {
        let list = try self.file("self.m3u", "#EXTM3U\nself.m3u\n./self.m3u\n")
        await #expect {
            _ = try await self.queue([list])
        } throws: { error in
            "\(error)".contains("is a playlist that contains itself, and has no playable")
                && ExitStatus(for: error) == .content
        }
    }

    @Test("lists are followed four levels deep, and no deeper", arguments: [4, 5])
    func nested(_ depth: Int) async throws {
        for number in 1..<depth { _ = try self.file("\(number).m3u", "\(number + 1).m3u\n") }
        _ = try self.file("\(depth).m3u", "./x.mp3\n")
        _ = try self.file("x.mp3")
        let list = self.folder.path(of: "1.m3u")
        if depth == 4 {
            let (entries, _) = try await self.queue([list])
            #expect(self.names(entries) == ["x.mp3"])
        } else {
            await #expect {
                _ = try await self.queue([list])
            } throws: { error in
                "\(error)".contains("is a playlist inside more than 4 other playlists")
                    && ExitStatus(for: error) == .content
            }
        }
    }

    @Test("a list's names are found in either normal form")
    func normalForms() async throws {
        _ = try self.file("m/caf\u{E9}/\u{FC}.mp3")
        _ = try self.file("m/nai\u{308}ve.mp3")
        let lines = ["./cafe\u{301}/u\u{308}.mp3", "./na\u{EF}ve.mp3", "./caf%C3%A9/\u{FC}.mp3"]
        let list = try self.file("m/list.m3u", lines.joined(separator: "\n"))
        let (entries, notes) = try await self.queue([list])
        #expect(entries.count == 3 && notes.isEmpty)
    }

    @Test("a list is recognised by its bytes where its name does not show it")
    func nameless() async throws {
        _ = try self.file("x.mp3")
        for text in ["#EXTM3U\nx.mp3\n", "[playlist]\nFile1=x.mp3\n", "[Reference]\nRef1=x.mp3\n"] {
            let list = try self.file("list", text)
            let (entries, _) = try await self.queue([list])
            #expect(self.names(entries) == ["x.mp3"], "\(text)")
        }
    }

    @Test("a station's name means the station, though a file has that name elsewhere")
    func stations() async throws {
        let text = "[stations.groove]\nurl = \"http://radio.example/x\"\n"
        let (entries, _) = try await self.queue(["groove"], stations: text)
        #expect(entries.count == 1)
        #expect(entries[0].station?.name == "groove")
        #expect(entries[0].positionDigest == nil)
    }

    @Test("an unknown name is refused with the nearest name")
    func unknown() async throws {
        let text = "[stations.groove]\nurl = \"http://radio.example/x\"\n"
        await #expect {
            _ = try await self.queue(["grove"], stations: text)
        } throws: { error in
            "\(error)".contains("Did you mean 'groove'?") && ExitStatus(for: error) == .notFound
        }
    }

    @Test(
        "an empty folder and an empty list are reported as empty",
        arguments: ["list.pls", "empty/x.txt"]
    )
    func empty(_ name: String) async throws {
        let file = try self.file(name, "[playlist]\nNumberOfEntries=0\n")
        let path = name.hasPrefix("empty") ? (file as NSString).deletingLastPathComponent : file
        await #expect {
            _ = try await self.queue([path])
        } throws: { ExitStatus(for: $0) == .content }
    }
}
