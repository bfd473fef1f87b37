// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirConsole
import WeirHTTP
import WeirLive
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("The paths of cached resources")
struct ServedResourceTests {
    private let folder = TemporaryDirectory()

    private static let sources = """
        [sources.web]
        service = "http"
        url = "https://files.example/Music/"
        """

    /// Runs a test with a library, and a router of the named references.
    private func with(
        _ names: [String],
        isNamed: Bool = true,
        _ test: (MediaRouter, MediaLibrary) throws -> Void
    ) async throws {
        let library = try MediaLibrary(
            MediaLibrary.Configuration(directory: self.folder.path(of: "cache"))
        )
        let environment = ProgramEnvironment([:])
        let result = Result {
            let resolver = MediaResolver(
                library: library,
                settings: MediaSettings(
                    environment: environment,
                    configuration: try Configuration.parse(
                        Array(Self.sources.utf8),
                        file: "/etc/w/config.toml",
                        isPrivate: false,
                        environment
                    )
                ),
                stations: try StationList(
                    file: "stations.toml",
                    text: "[stations.groove]\nurl = \"http://radio.example/x\"\n"
                )
            )
            let router = MediaRouter(
                library: library,
                references: try names.map { try resolver.reference($0) },
                isNamed: isNamed,
                hasList: true
            )
            try test(router, library)
        }
        await library.close()
        try result.get()
    }

    /// A resource as the cache lists it.
    private static func resource(_ media: Media) throws -> CachedResource {
        Self.resource(try #require(media.cacheIdentifier), called: media.display)
    }

    private static func resource(_ identifier: String, called display: String) -> CachedResource {
        CachedResource(
            identifier: identifier,
            generation: GenerationID(rawValue: 1),
            display: display,
            account: "",
            length: 1,
            heldByteCount: 1,
            mediaType: nil,
            name: nil,
            lastUse: Date(),
            created: Date(),
            isPinned: false
        )
    }

    private static func media(_ router: MediaRouter, _ target: String) throws -> Media {
        try #require(router.source(for: target) as? Media)
    }

    @Test(
        "a resource below a served folder has a path that finds it, with or without an earlier request",
        arguments: [
            ("http://h.example/a/", "/origin/a/b%20c.mp3", "/a/b%20c.mp3"),
            ("http://h.example/a/b.mp3", "/origin/a/b.mp3", "/a/b.mp3"),
            ("http://h.example:8080/", "/origin/x.mp3", "/x.mp3"),
            ("web:/", "/web/Album/%C3%A9.mp3", "/Album/%C3%A9.mp3"),
        ]
    )
    func found(name: String, named: String, target: String) async throws {
        for isNamed in [true, false] {
            let path = isNamed ? named : target
            try await self.with([name], isNamed: isNamed) { router, library in
                let resource = try Self.resource(Self.media(router, path))
                #expect(router.path(of: resource) == path)
                // A router that has served no request yet finds the path, too.
                let fresh = MediaRouter(
                    library: library,
                    references: router.references,
                    isNamed: isNamed,
                    hasList: true
                )
                #expect(fresh.path(of: resource) == path)
            }
        }
    }

    @Test("among several sources the right one is found")
    func several() async throws {
        try await self.with(["web:/", "http://h.example/a/", "groove"]) { router, _ in
            let resource = try Self.resource(Self.media(router, "/origin/a/b.mp3"))
            #expect(router.path(of: resource) == "/origin/a/b.mp3")
            let other = try Self.resource(Self.media(router, "/web/b.mp3"))
            #expect(router.path(of: other) == "/web/b.mp3")
        }
    }

    @Test("another resource with a similar name has no path")
    func others() async throws {
        try await self.with(["http://h.example/a/", "web:/"]) { router, _ in
            let identifier = String(repeating: "0", count: 32)
            for display in [
                "http://h.example/a/b.mp3", "http://h.example/other/b.mp3",
                "http://h.example.evil/a/b.mp3", "https://h.example/a/b.mp3",
                "https://files.example/Music/x.mp3", "https://files.example/Other/x.mp3",
                "http://h.example", "", "/", "b.mp3", "http://h.example/a/../../x",
            ] {
                #expect(router.path(of: Self.resource(identifier, called: display)) == nil)
            }
        }
    }

    @Test("a resource with a query in its address is found after its first request")
    func queries() async throws {
        try await self.with(["http://h.example/a/"]) { router, library in
            let media = try Self.media(router, "/origin/a/b.mp3?id=7")
            let resource = try Self.resource(media)
            #expect(resource.display == "http://h.example/a/b.mp3")
            #expect(router.path(of: resource) == "/origin/a/b.mp3?id=7")
            let fresh = MediaRouter(
                library: library,
                references: router.references,
                isNamed: true,
                hasList: true
            )
            #expect(fresh.path(of: resource) == nil)
        }
    }

    @Test("a resource that is no longer served has no path")
    func changed() async throws {
        try await self.with(["http://h.example/a/", "web:/"]) { router, _ in
            let resource = try Self.resource(Self.media(router, "/origin/a/b.mp3"))
            router.references = Array(router.references.dropFirst())
            #expect(router.path(of: resource) == nil)
            #expect(router.source(for: "/origin/a/b.mp3") == nil)
        }
    }

    // MARK: Identities

    @Test("a source is identified by its cached resource, or by its station, or not at all")
    func identities() async throws {
        try await self.with(["http://h.example/a/", "groove"]) { router, _ in
            let media = try Self.media(router, "/origin/a/b.mp3")
            let identifier = try #require(media.cacheIdentifier)
            #expect(router.identity(of: media) == ConsoleSubject.Identity(resource: identifier))
            let station = try #require(router.source(for: "/groove/stream"))
            #expect(router.identity(of: station) == ConsoleSubject.Identity(station: "groove"))
            let list = try #require(router.source(for: "/"))
            #expect(router.identity(of: list) == ConsoleSubject.Identity())
            #expect(
                router.identity(of: MemorySource(bytes: [1])) == ConsoleSubject.Identity()
            )
            // A station that is no longer served has no identity.
            router.references = []
            #expect(router.identity(of: station) == ConsoleSubject.Identity())
        }
    }

    @Test("a local file without cached bytes has no identity")
    func files() async throws {
        let path = self.folder.path(of: "a.mp3")
        try Data("x".utf8).write(to: URL(filePath: path))
        try await self.with([path]) { router, _ in
            let reference = try #require(router.references.first)
            let media = try Self.media(router, router.path(of: reference))
            #expect(media.cacheIdentifier == nil)
            #expect(router.identity(of: media) == ConsoleSubject.Identity())
        }
    }

    // MARK: Names in a source

    /// The source of a reference.
    private static func source(_ router: MediaRouter) throws -> MediaLocation {
        guard case .media(let location)? = router.references.first else {
            throw CommandError.failed("It is no source.")
        }
        return location
    }

    @Test("a medium's name gives a path below its source, or no path")
    func targets() async throws {
        try await self.with(["http://h.example/a/"]) { router, _ in
            let source = try Self.source(router)
            #expect(source.target(ofMediaCalled: "http://h.example/a/b%20c.mp3") == "/a/b%20c.mp3")
            #expect(source.target(ofMediaCalled: "http://h.example/") == "/")
            for display in ["https://h.example/a/b.mp3", "http://other.example/a/b.mp3", "", "x"] {
                #expect(source.target(ofMediaCalled: display) == nil, "\(display)")
            }
            #expect(source.target(ofMediaCalled: "http://h.example.evil/a/b.mp3") == nil)
        }
        try await self.with(["web:/"]) { router, _ in
            let source = try Self.source(router)
            #expect(
                source.target(ofMediaCalled: "https://files.example/Music/a/%C3%A9") == "/a/%C3%A9"
            )
            #expect(source.target(ofMediaCalled: "https://files.example/Music/") == "/")
            for display in [
                "https://files.example/Music", "https://files.example/Musical/x",
                "https://files.example.evil/Music/x", "http://files.example/Music/x",
            ] { #expect(source.target(ofMediaCalled: display) == nil, "\(display)") }
        }
    }
}
