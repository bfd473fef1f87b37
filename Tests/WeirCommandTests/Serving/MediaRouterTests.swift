// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import Synchronization
import Testing
import Weir
import WeirLive
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("The served resources")
struct MediaRouterTests {
    private let folder = TemporaryDirectory()

    private static let list = """
        [stations.groove]
        url = "http://radio.example/x?key=1"

        [stations.night]
        url = "https://night.example:8000/"
        header-env = ["Cookie=NIGHT"]
        """

    /// Runs a test with a resolver.
    private func with(
        sources: String = "",
        variables: [String: String] = ["NIGHT": "k"],
        _ test: (MediaResolver) async throws -> Void
    ) async throws {
        let library = try MediaLibrary(
            MediaLibrary.Configuration(directory: self.folder.path(of: "cache"))
        )
        let environment = ProgramEnvironment(variables)
        let resolver = MediaResolver(
            library: library,
            settings: MediaSettings(
                environment: environment,
                configuration: try Configuration.parse(
                    Array(sources.utf8),
                    file: "/etc/w/config.toml",
                    isPrivate: false,
                    environment
                )
            ),
            stations: try StationList(file: "stations.toml", text: Self.list)
        )
        do {
            try await test(resolver)
        } catch {
            await library.close()
            throw error
        }
        await library.close()
    }

    private func router(
        _ resolver: MediaResolver,
        _ references: [MediaReference],
        hasList: Bool = false
    ) -> MediaRouter {
        MediaRouter(
            library: resolver.library,
            references: references,
            isNamed: true,
            hasList: hasList
        )
    }

    private func text(_ source: (any ByteSource)?) async throws -> String {
        var bytes: [UInt8] = []
        for try await chunk in try await #require(source).read(.whole) {
            bytes += try chunk.memory().array
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("the root lists the sources, a folder its entries; with ?m3u both are playlists")
    func texts() async throws {
        let music = self.folder.path(of: "music")
        try FileManager.default.createDirectory(
            atPath: "\(music)/Album",
            withIntermediateDirectories: true
        )
        for name in ["a: b.mp3", "notes.txt"] {
            try Data("x".utf8).write(to: URL(fileURLWithPath: "\(music)/\(name)"))
        }
        let sources = """
            [sources.mine]
            service = "files"
            path = "\(music)"
            """
        try await self.with(sources: sources) { resolver in
            let references = try resolver.all { _ in }
            let router = self.router(resolver, references, hasList: true)
            let list = try await self.text(router.source(for: "/"))
            #expect(list.contains("  mine/"))
            #expect(list.contains("  groove/stream  http://radio.example/x\n"))
            #expect(!list.contains("key=1"))
            let stations = try await self.text(router.source(for: "/?m3u"))
            #expect(
                stations == """
                    #EXTM3U
                    #EXTINF:-1,a: b.mp3
                    mine/a%3A%20b.mp3
                    #EXTINF:-1,http://radio.example/x
                    groove/stream
                    #EXTINF:-1,https://night.example:8000/
                    night/stream

                    """
            )
            let folder = try await self.text(router.source(for: "/mine/"))
            #expect(folder.contains("<a href=\"a%3A%20b.mp3\">a: b.mp3</a>\n"))
            #expect(folder.contains("<a href=\"Album/\">Album/</a>\n"))
            #expect(
                try await self.text(router.source(for: "/mine/?m3u")) == """
                    #EXTM3U
                    #EXTINF:-1,a: b.mp3
                    a%3A%20b.mp3

                    """
            )
            #expect(try await self.text(router.source(for: "/mine/Album/")).contains("empty"))
            let missing = try #require(router.source(for: "/mine/None/"))
            await #expect(throws: SourceError.self) { try await missing.describe() }
            for target in ["/other/", "/mine", "/groove/", "/mine/../"] {
                #expect(router.source(for: target) == nil, "\(target)")
            }
        }
    }

    @Test("for a configured source, the URL of exec opens the named file and nothing else")
    func namedOnly() async throws {
        let sources = """
            [sources.mine]
            service = "files"
            path = "\(self.folder.path(of: "music"))"
            """
        try await self.with(sources: sources) { resolver in
            let reference = try resolver.reference("mine:/a.mp3")
            let served = self.router(resolver, [reference])
            #expect(served.source(for: "/mine/a.mp3") != nil)
            #expect(served.source(for: "/mine/b.mp3") != nil)
            let named = self.router(resolver, [reference.namedOnly])
            #expect(named.path(of: reference.namedOnly) == "/mine/a.mp3")
            #expect(named.source(for: "/mine/a.mp3") != nil)
            for target in ["/mine/b.mp3", "/mine/", "/mine", "/mine/a.mp3?x", "/"] {
                #expect(named.source(for: target) == nil, "\(target)")
            }
        }
    }

    @Test("a station's name means the station, under its name and at one path")
    func named() async throws {
        try await self.with { resolver in
            let reference = try resolver.reference("groove")
            #expect(reference.name == "groove")
            #expect(reference.display == "http://radio.example/x")
            let router = self.router(resolver, [reference])
            #expect(router.path(of: reference) == "/groove/stream")
            let found = try #require(router.source(for: "/groove/stream") as? StationSource)
            #expect(router.source(for: "/groove/stream") as? StationSource === found)
            #expect(router.source(for: "/groove/stream?t=1") as? StationSource === found)
            for target in ["/groove/", "/groove", "/groove/stream/x", "/night/stream", "/"] {
                #expect(router.source(for: target) == nil, "\(target)")
            }
        }
    }

    @Test("an address that begins with icy is a station without its own name")
    func addresses() async throws {
        try await self.with { resolver in
            let reference = try resolver.reference(
                "ICY://radio.example:8000?key=secret",
                name: "origin2"
            )
            #expect(reference.name == "origin2")
            #expect(reference.display == "http://radio.example:8000/")
            #expect(reference.station != nil)
            let other = try resolver.reference("http://radio.example:8000/")
            #expect(other.station == nil)
        }
    }

    @Test("a path to a file with a station's name means the file")
    func files() async throws {
        let path = self.folder.path(of: "groove")
        try Data("x".utf8).write(to: URL(fileURLWithPath: path))
        try await self.with { resolver in
            let reference = try resolver.reference(path)
            #expect(reference.station == nil)
        }
    }

    @Test("an unknown name is refused with the nearest one")
    func unknown() async throws {
        await #expect {
            try await self.with { _ = try $0.reference("grove") }
        } throws: { error in
            "\(error)".contains("Did you mean 'groove'?") && ExitStatus(for: error) == .notFound
        }
    }

    @Test("without a name all sources and stations are served, and the unusable ones are reported")
    func all() async throws {
        let sources = """
            [sources.music]
            service = "files"
            path = "\(self.folder.path(of: ""))"
            """
        let notes = Mutex<[String]>([])
        func note(_ line: String) { notes.withLock { $0.append(line) } }
        try await self.with(sources: sources) { resolver in
            let names = try resolver.all(note: note).map(\.name)
            #expect(names == ["music", "groove", "night"])
            #expect(notes.withLock { $0 }.isEmpty)
        }
        try await self.with(sources: sources, variables: [:]) { resolver in
            let names = try resolver.all(note: note).map(\.name)
            #expect(names == ["music", "groove"])
            let lines = notes.withLock { $0 }
            #expect(lines.count == 1 && lines[0].contains("the station night is not served"))
        }
    }

    @Test("a later source keeps its name, and a note names the station")
    func collision() async throws {
        let sources = """
            [sources.groove]
            service = "files"
            path = "\(self.folder.path(of: ""))"
            """
        let notes = Mutex<[String]>([])
        try await self.with(sources: sources) { resolver in
            let references = try resolver.all { line in notes.withLock { $0.append(line) } }
            #expect(references.map(\.name) == ["groove", "night"])
            #expect(references[0].station == nil)
            #expect(notes.withLock { $0.count } == 1)
        }
    }

    @Test("a station is not a file, and a command that needs a file says so")
    func noFile() async throws {
        let home = self.folder.path(of: "home")
        let weir = "\(home)/.config/weir"
        try FileManager.default.createDirectory(atPath: weir, withIntermediateDirectories: true)
        try Data(Self.list.utf8).write(to: URL(fileURLWithPath: "\(weir)/stations.toml"))
        try await self.with(variables: ["HOME": home]) { resolver in
            #expect {
                _ = try resolver.location("groove")
            } throws: { error in
                "\(error)".contains("weir play groove") && ExitStatus(for: error) == .usage
            }
            #expect {
                _ = try resolver.location("grove")
            } throws: { !"\($0)".contains("radio station") }
        }
    }
}
