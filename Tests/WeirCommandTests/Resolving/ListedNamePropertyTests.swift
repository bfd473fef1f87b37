// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirClouds
import WeirHTTP
import WeirPlayback
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("Every command accepts a listed name")
struct ListedNamePropertyTests {
    private let folder = TemporaryDirectory()

    /// The parts of names.
    ///
    /// They are all printable ASCII characters but the slash, some others, and texts with a meaning in URLs or in
    /// Weir's listings.
    private static let parts: [String] =
        (0x20..<0x7F).filter { $0 != 0x2F }.map { String(UnicodeScalar(UInt8($0))) }
        + ["é", "e\u{301}", "\u{301}", "ж", "日本", "🎵", "\u{A0}", "ß", "\u{200D}", "\u{2028}"]
        + [
            "%20", "%2e", "%2F", "%25", "%00", "%zz", "?v=2", "#1", "&amp;", "..", "..;", "\\x0A",
            "\\", "://", "~", "50%", "100%.flac", "a #1 50% why?.mp3", "\n", "\t", " ",
        ]

    private static func names(_ seed: UInt64, isText: Bool) -> [[UInt8]] {
        var generator = SeededGenerator(seed: seed)
        var names: Set<[UInt8]> = []
        while names.count < 60 {
            let count = Int.random(in: 1...8, using: &generator)
            var name = (0..<count).map { _ in
                Array((Self.parts.randomElement(using: &generator) ?? "x").utf8)
            }.flatMap(\.self)
            if !isText, generator.next() % 8 == 0 { name.append(0xE9) }
            if generator.next() % 2 == 0 { name += Array(".mp3".utf8) }
            name.removeAll { $0 == 0x2F }
            if FolderPath.name(ofBytes: name) != nil { names.insert(name) }
        }
        return names.sorted { $0.lexicographicallyPrecedes($1) }
    }

    /// Runs a test with a resolver over origins of all kinds, and then closes the library.
    private func with(
        _ transport: NamingTransport,
        _ test: (MediaResolver) async throws -> Void
    ) async throws {
        var options = MediaLibrary.Configuration(
            directory: self.folder.path(of: UUID().uuidString)
        )
        options.maximumRetries = 0
        let library = try MediaLibrary(options, transport: transport)
        let environment = ProgramEnvironment([:])
        let text =
            NamingTransport.configuration
            + "\n[sources.files]\nservice = \"files\"\npath = \"\(self.folder.path(of: "music"))\"\n"
        let resolver = MediaResolver(
            library: library,
            settings: MediaSettings(
                environment: environment,
                configuration: try Configuration.parse(
                    Array(text.utf8),
                    file: "/etc/w/config.toml",
                    isPrivate: false,
                    environment
                )
            )
        )
        do {
            try await test(resolver)
        } catch {
            await library.close()
            throw error
        }
        await library.close()
    }

    private func bytes(_ source: any ByteSource) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in try await source.read(.whole) {
            try chunk.memory().withUnsafeBytes { bytes += Array($0) }
        }
        return bytes
    }

    /// Writes files into a local folder; the bytes of each file are its name.
    private func make(_ names: [[UInt8]]) throws {
        let folder = self.folder.path(of: "music/Album")
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for name in names {
            let path = LocalPath(folder).appending(name)
            let descriptor = path.withCString { open($0, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600) }
            let count = name.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            #expect(count == name.count)
            close(descriptor)
        }
    }

    @Test(
        "in every kind of source: get, inspect, exec, serve, play and the playlist open the file itself",
        arguments: NamingTransport.kinds + ["files"],
        [1, 2, 3, 4] as [UInt64]
    )
    func names(_ kind: String, _ seed: UInt64) async throws {
        // Only disks and web servers have names that are not text.
        let names = Self.names(seed, isText: kind != "web" && kind != "files")
        if kind == "files" { try self.make(names) }
        try await self.with(NamingTransport(names: names)) { resolver throws in
            let library = resolver.library
            let album = try resolver.reference("\(kind):/Album/")
            guard case .media(let location) = album else { return }
            let router = MediaRouter(
                library: library,
                references: [album],
                isNamed: true,
                hasList: false
            )
            var listed: [(name: String, bytes: [UInt8])] = []
            var leftOut: Set<[UInt8]> = []
            let folder = ListedFolder(
                storage: location.storage(in: library, view: .listed),
                path: location.path
            ) { leftOut.insert($0.componentBytes.last ?? []) }
            try await folder.read { entry, path in
                listed.append((entry.name, path.componentBytes.last ?? []))
                return true
            }
            let found = Set(listed.map(\.bytes))
            #expect(
                found.union(leftOut) == Set(names) && found.isDisjoint(with: leftOut),
                "\(seed)"
            )
            for (name, bytes) in listed {
                let text = "\(kind):/Album/\(name)"
                let named = try await resolver.location(text).settled(in: library)
                let media = try named.media(in: library)
                let opened = try await self.bytes(media)
                #expect(opened == bytes, "\(seed): \(text)")
                let reference = try await resolver.reference(text).namedOnly.settled(in: library)
                let served = reference.served(reference.target[...], in: library)
                let proxied = router.source(for: "/\(kind)\(named.target)")
                let paged = try self.page(of: media, router)
                let played = try await self.played(text, name, resolver)
                for source in [served, proxied, paged, played] {
                    guard let source else {
                        #expect(kind == "files", "\(seed): \(text)")
                        continue
                    }
                    let read = try await self.bytes(source)
                    #expect(read == bytes, "\(seed): \(text)")
                }
            }
            let playlist = try #require(router.source(for: "/\(kind)/Album/?m3u"))
            let lines = String(decoding: try await self.bytes(playlist), as: UTF8.self)
                .split(whereSeparator: \.isNewline).filter {
                    !$0.hasPrefix("#") && !$0.hasSuffix("#EXTM3U")
                }
            var played: [[UInt8]] = []
            for line in lines {
                let source = try #require(router.source(for: "/\(kind)/Album/\(line)"))
                played.append(try await self.bytes(source))
            }
            let playable = listed.filter { name, _ in
                !name.hasPrefix(".")
                    && FolderEntry(name: name, kind: .file).isPlayable(isDecrypted: false)
            }
            #expect(played == playable.map(\.bytes), "\(seed)")
        }
    }

    /// The medium that the page plays for a held resource; `nil` for a file that the cache does not keep.
    private func page(of media: Media, _ router: MediaRouter) throws -> (any ByteSource)? {
        guard let identifier = media.cacheIdentifier else { return nil }
        let held = CachedResource(
            identifier: identifier,
            generation: GenerationID(rawValue: 1),
            display: media.display,
            account: "",
            length: 1,
            heldByteCount: 1,
            mediaType: nil,
            name: nil,
            lastUse: .now,
            created: .now,
            isPinned: false
        )
        let path = try #require(router.path(of: held))
        return router.source(for: path)
    }

    /// The medium that `weir play` plays; for the name of a playlist, the file itself.
    private func played(_ text: String, _ name: String, _ resolver: MediaResolver) async throws
        -> (any ByteSource)?
    {
        let kind = PathKind(path: name)
        guard kind == .audio || kind == .unknown else {
            return try await resolver.location(text).settled(in: resolver.library)
                .media(in: resolver.library)
        }
        let items = try await PlayQueue([text], resolver) { _ in }.entries()
        guard items.count == 1, let item = items.first, case .media(let source) = item.content
        else { return nil }
        return source
    }

    @Test("a path in a URL's spelling is opened where no file has that name")
    func spelledAsURL() async throws {
        let names = ["a b.mp3", "c%20d.mp3", "c d.mp3", "song"].map { Array($0.utf8) }
        try await self.with(NamingTransport(names: names)) { resolver throws in
            for (text, target) in [
                ("web:/Album/a%20b.mp3", "/Album/a%20b.mp3"),
                ("web:/Album/c%20d.mp3", "/Album/c%2520d.mp3"),
                ("web:/Album/c d.mp3", "/Album/c%20d.mp3"),
                ("web:/Album/song?v=2", "/Album/song?v=2"),
                ("web:Album/none%20x.mp3", "/Album/none%20x.mp3"),
                ("webdav:/Album/a%20b.mp3", "/Album/a%2520b.mp3"),
            ] {
                let location = try await resolver.location(text).settled(in: resolver.library)
                #expect(location.target == target, "\(text)")
            }
        }
    }
}
