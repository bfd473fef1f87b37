// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import Weir
import WeirHTTP
import WeirPlayback
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("A folder with an unreachable origin")
struct HeldFolderTests {
    private let folder = TemporaryDirectory()
    private static let names = [
        "2 b.mp3", "10 c.mp3", "1 a #1 50% why?.mp3", "cover.jpg", "9 not held.mp3",
    ]

    private static let places =
        NamingTransport.kinds.map { "\($0):/Album" } + [
            "https://web.example/music/Album", "https://web.example/music/Album/",
        ]

    private func with(
        _ transport: NamingTransport,
        isOffline: Bool = false,
        account: String? = nil,
        headers: HTTPHeaderList = HTTPHeaderList(),
        _ test: (MediaResolver) async throws -> Void
    ) async throws {
        var options = MediaLibrary.Configuration(directory: self.folder.path(of: "cache"))
        options.maximumRetries = 0
        options.isOffline = isOffline
        let library = try MediaLibrary(options, transport: transport)
        let environment = ProgramEnvironment([:])
        let resolver = MediaResolver(
            library: library,
            settings: MediaSettings(
                environment: environment,
                configuration: try Configuration.parse(
                    Array(NamingTransport.configuration.utf8),
                    file: "/etc/w/config.toml",
                    isPrivate: false,
                    environment
                ),
                headers: headers,
                account: account
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

    private static func transport() -> NamingTransport {
        NamingTransport(names: self.names.map { Array($0.utf8) })
    }

    /// Lists a folder as `weir ls` does.
    private func list(_ text: String, _ resolver: MediaResolver) async throws -> (
        names: [String], outage: String?
    ) {
        let location = try await resolver.location(text).settled(in: resolver.library)
        let storage = location.storage(in: resolver.library, view: .listed)
        var names: [String] = []
        try await ListedFolder(storage: storage, path: location.path).read { entry, _ in
            names.append(entry.name)
            return true
        }
        return (names, storage.outage?.listing)
    }

    /// Gets all files of a folder but one, as `weir get -r` does.
    private func get(_ text: String, _ resolver: MediaResolver) async throws {
        let list = DownloadList(
            of: [text],
            resolver,
            folder: self.folder.path(of: "got"),
            isRecursive: true,
            worst: WorstStatus()
        ) { _ in }
        for download in try await list.downloads(of: text)
        where !download.media.display.contains("not") {
            for try await _ in try await download.media.read(.whole) {}
        }
    }

    private func play(_ text: String, _ resolver: MediaResolver) async throws -> (
        names: [String], notes: [String]
    ) {
        let notes = Mutex<[String]>([])
        let queue = PlayQueue([text], resolver) { note in notes.withLock { $0.append(note) } }
        let items = try await queue.entries()
        return (items.compactMap(\.name), notes.withLock { $0 })
    }

    private func playlist(_ text: String, _ resolver: MediaResolver) async throws -> [String] {
        guard let lines = try await self.served(text, "?m3u", resolver) else {
            return ["no folder"]
        }
        return lines.filter { !$0.hasPrefix("#") }.map { PercentCoding.decoded($0) }
    }

    /// The lines that a player or a browser gets at a folder's address; `nil` if the address is not a folder.
    private func served(_ text: String, _ query: String, _ resolver: MediaResolver) async throws
        -> [Substring]?
    {
        let reference = try resolver.reference(text).namedOnly
        guard case .media(let location) = reference,
            let folder = try await location.folder(in: resolver.library)
        else { return nil }
        let router = MediaRouter(
            library: resolver.library,
            references: [.media(folder)],
            isNamed: true,
            hasList: false
        )
        let path = router.path(of: .media(folder))
        let source = try #require(router.source(for: "\(path)\(query)"))
        var bytes: [UInt8] = []
        for try await chunk in try await source.read(.whole) {
            try chunk.memory().withUnsafeBytes { bytes += Array($0) }
        }
        return String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
    }

    @Test(
        "is listed as before, and its held files play, also after a restart",
        arguments: Self.places
    )
    func outage(_ place: String) async throws {
        let transport = Self.transport()
        try await self.with(transport) { resolver throws in
            try await self.get(place.hasSuffix("/") ? place : "\(place)/", resolver)
            let listed = [
                "1 a #1 50% why?.mp3", "2 b.mp3", "9 not held.mp3", "10 c.mp3", "cover.jpg",
            ]
            #expect(try await self.list("\(place)", resolver) == (listed, nil))
        }
        transport.become(.unreachable)
        for _ in 0..<2 {
            try await self.with(transport) { resolver throws in
                let held = ["1 a #1 50% why?.mp3", "2 b.mp3", "10 c.mp3"]
                let (names, outage) = try await self.list(place, resolver)
                #expect(
                    names == [
                        "1 a #1 50% why?.mp3", "2 b.mp3", "9 not held.mp3", "10 c.mp3", "cover.jpg",
                    ]
                )
                #expect(outage?.contains(" cannot be reached; this is the listing of 2") == true)
                let played = try await self.play(place, resolver)
                #expect(played.names == held)
                #expect(
                    played.notes.filter {
                        $0.hasSuffix(" cannot be reached; playing the 3 files that are held.")
                    }.count == 1
                )
                #expect(try await self.playlist(place, resolver) == held)
            }
        }
    }

    @Test("is shown to a browser as its last listing", arguments: Self.places)
    func browser(_ place: String) async throws {
        let transport = Self.transport()
        try await self.with(transport) { resolver throws in
            _ = try await self.list(place, resolver)
            try await self.get(place, resolver)
        }
        for fault in [NamingTransport.Fault.unreachable, .status(500)] {
            transport.become(fault)
            try await self.with(transport) { resolver throws in
                let lines = try await self.served("\(place)", "", resolver) ?? []
                #expect(lines.contains { $0.contains("; this is the listing of 2") }, "\(fault)")
                #expect(lines.contains { $0.hasSuffix(">9 not held.mp3</a>") }, "\(fault)")
            }
        }
    }

    @Test("without a listing or held files is an error for a browser", arguments: Self.places)
    func browserOfNothing(_ place: String) async throws {
        let transport = Self.transport()
        transport.become(.unreachable)
        try await self.with(transport) { resolver throws in
            let router = MediaRouter(
                library: resolver.library,
                references: [try resolver.reference(place.hasSuffix("/") ? place : "\(place)/")],
                isNamed: true,
                hasList: false
            )
            let path = router.path(of: router.references[0])
            let source = try #require(router.source(for: path))
            let error = await #expect(throws: SourceError.self) { try await source.describe() }
            #expect(error?.code == .unreachable)
        }
    }

    @Test("counts whole files, files in part, and files that were listed")
    func counting() async throws {
        let transport = Self.transport()
        try await self.with(transport) { resolver throws in
            try await self.get("web:/Album", resolver)
            let source = try resolver.location("web:/Album")
            var resources = try await resolver.library.resources()
            let part = try #require(resources.firstIndex { $0.display.hasSuffix("2%20b.mp3") })
            resources[part].heldByteCount -= 1
            let outage = OriginOutage(
                subject: "web:",
                error: SourceError(.originFailed, "x", status: 503),
                listed: nil,
                held: HeldFiles(resources, of: source, in: resolver.library)
            )
            func sentence(_ names: String...) throws -> String? {
                outage.playing(try names.map { try FolderPath("/Album/\($0)") })
            }
            let start = "web: answers with an error (status 503); playing"
            #expect(try sentence("10 c.mp3") == "\(start) the file that is held.")
            #expect(
                try sentence("10 c.mp3", "cover.jpg", "2 b.mp3")
                    == "\(start) the 2 files that are held and 1 that is held in part."
            )
            #expect(try sentence("2 b.mp3") == "\(start) the file that is held in part.")
            #expect(
                try sentence("10 c.mp3", "2 b.mp3", "9 not held.mp3", "new.mp3")
                    == "\(start) the file that is held, 1 that is held in part and 2 that are listed by the server."
            )
        }
    }

    @Test("gives its files without a request for those that are not held")
    func getting() async throws {
        let transport = Self.transport()
        try await self.with(transport) { try await self.get("web:/Album", $0) }
        transport.become(.unreachable)
        try await self.with(transport) { resolver throws in
            let worst = WorstStatus()
            let notes = Mutex<[String]>([])
            let list = DownloadList(
                of: ["web:/Album"],
                resolver,
                folder: self.folder.path(of: "got"),
                isRecursive: true,
                worst: worst
            ) { note in notes.withLock { $0.append(note) } }
            let downloads = try await list.downloads(of: "web:/Album")
            #expect(downloads.count == 5)
            #expect(downloads.allSatisfy { $0.failure?.code == .unreachable })
            let said = notes.withLock { $0 }
            #expect(said.count == 1)
            #expect(said.first?.contains(" cannot be reached; using the listing of 2") == true)
        }
    }

    @Test("shows the held files where its listing was removed", arguments: Self.places)
    func withoutListing(_ place: String) async throws {
        let transport = Self.transport()
        try await self.with(transport) { resolver throws in
            try await self.get(place, resolver)
            resolver.library.listings.removeAll()
        }
        transport.become(.unreachable)
        let held = ["1 a #1 50% why?.mp3", "2 b.mp3", "10 c.mp3", "cover.jpg"]
        try await self.with(transport) { resolver throws in
            let (names, outage) = try await self.list(place, resolver)
            #expect(
                names == held
                    && outage?.hasSuffix(" cannot be reached; these are the held files.") == true
            )
        }
        let count = transport.requestCount
        try await self.with(transport, isOffline: true) { resolver throws in
            #expect(try await self.list(place, resolver) == (held, nil))
            #expect(try await self.play(place, resolver).names == Array(held.dropLast()))
            #expect(try await self.playlist(place, resolver) == Array(held.dropLast()))
        }
        #expect(transport.requestCount == count)
    }

    @Test(
        "shows no stored listing where its origin refuses",
        arguments: Self.places,
        [401, 403, 404]
    )
    func refusal(_ place: String, _ status: Int) async throws {
        let transport = Self.transport()
        try await self.with(transport) { try await self.get(place, $0) }
        transport.become(.status(status))
        try await self.with(transport) { resolver throws in
            let error = await #expect(throws: (any Error).self) {
                try await self.list(place, resolver)
            }
            #expect(error.map { ExitStatus(for: $0) } == .notFound)
        }
        // The refusal removed the stored listing, so Weir does not show it when the origin goes away later.
        transport.become(.unreachable)
        try await self.with(transport) { resolver throws in
            let (names, outage) = try await self.list(place, resolver)
            #expect(!names.contains("9 not held.mp3"))
            #expect(outage?.hasSuffix(" cannot be reached; these are the held files.") == true)
        }
    }

    @Test("shows no listing of another credential, where no account is named")
    func credentials() async throws {
        let transport = Self.transport()
        let place = "https://web.example/music/Album/"
        func headers(_ token: String) throws -> HTTPHeaderList {
            HTTPHeaderList([try HTTPHeader(parsing: "Authorization: OAuth \(token)")])
        }
        try await self.with(transport, headers: headers("a")) { resolver throws in
            #expect(try await self.list(place, resolver).names.count == 5)
        }
        transport.become(.unreachable)
        try await self.with(transport, headers: headers("b")) { resolver throws in
            await #expect(throws: SourceError.self) { try await self.list(place, resolver) }
        }
    }

    @Test("shows nothing of another account, and nothing without held files")
    func accounts() async throws {
        let transport = Self.transport()
        try await self.with(transport, account: "me") { try await self.get("web:/Album", $0) }
        transport.become(.unreachable)
        try await self.with(transport, account: "you") { resolver throws in
            let error = await #expect(throws: SourceError.self) {
                try await self.list("web:/Album", resolver)
            }
            #expect(error?.code == .unreachable)
            await #expect(throws: SourceError.self) {
                try await self.play("web:/Album/", resolver)
            }
        }
        try await self.with(transport, account: "me") { resolver throws in
            #expect(try await self.play("web:/Album/", resolver).names.count == 3)
        }
    }
}
