// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirCipher
import WeirClouds
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("The resolution of a name")
struct MediaResolverTests {
    private let folder = TemporaryDirectory()

    /// The sources of the configuration.
    private var sources: String {
        """
        [sources.music]
        service = "files"
        path = "\(self.folder.path(of: "music"))"

        [sources.archive]
        service = "http"
        url = "https://archive.example/music/"
        header = ["X-Plain: 1"]
        immutable = true
        volatile-query = ["sig"]
        validator = "modified"

        [sources.link]
        service = "http"
        url-command = ["get-link", "{}"]

        [sources.nas]
        service = "webdav"
        url = "https://nas.example/dav/"
        user = "u"
        password-env = "NAS"
        account = "home"

        [sources.disk]
        service = "yandex-disk"
        public-key = "https://disk.example/d/x"

        [sources.sealed]
        service = "http"
        url = "https://archive.example/sealed/"
        decrypt = "aes-ctr"
        key-env = "KEY"
        """
    }

    /// Runs a test with a resolver, and then closes the library.
    private func with(
        headers: HTTPHeaderList = HTTPHeaderList(),
        account: String? = nil,
        decryption: Decryption? = nil,
        keys: KeyReader? = nil,
        stations: String? = nil,
        variables: [String: String] = ["NAS": "p", "KEY": "000102030405060708090a0b0c0d0e0f"],
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
                    Array(self.sources.utf8),
                    file: "/etc/w/config.toml",
                    isPrivate: false,
                    environment
                ),
                headers: headers,
                account: account,
                decryption: decryption,
                keys: keys
            ),
            stations: try stations.map { try StationList(file: "stations.toml", text: $0) }
        )
        do {
            try await test(resolver)
        } catch {
            await library.close()
            throw error
        }
        await library.close()
    }

    private func file(_ name: String, _ text: String = "x") throws -> String {
        let path = self.folder.path(of: name)
        try FileManager.default.createDirectory(
            atPath: (path as NSString).deletingLastPathComponent,
            withIntermediateDirectories: true
        )
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return path
    }

    /// The headers that the command line gives to every name.
    private static func headers() throws -> HTTPHeaderList {
        HTTPHeaderList([try HTTPHeader(name: "Authorization", value: "Bearer t")])
    }

    @Test("a URL is its origin, served at its own path, with the command line's headers")
    func urls() async throws {
        try await self.with(headers: Self.headers(), account: "me") { resolver throws in
            let location = try resolver.location("https://u:p@cloud.example/a%20b/c.mp3?sig=1")
            #expect(location.name == "origin")
            #expect(location.placeDisplay == "https://cloud.example/a%20b/c.mp3")
            #expect(location.display == "https://cloud.example/a%20b/c.mp3")
            #expect(location.target == "/a%20b/c.mp3")
            #expect(location.headers["Authorization"] == "Bearer t")
            #expect(location.account == "me")
            #expect(location.knownStorage == nil)
            #expect(try location.media(in: resolver.library).display == location.display)
            let named = try resolver.reference("https://cloud.example/", name: "origin2")
            #expect(named.name == "origin2" && named.target == "/")
        }
    }

    @Test("a file is served alone, and a playlist with the files beside and below it")
    func files() async throws {
        let song = try self.file("music/a b.mp3")
        let list = try self.file("music/list.m3u")
        _ = try self.file("music/deep/c.mp3")
        try await self.with(headers: Self.headers(), account: "me") { resolver throws in
            let location = try resolver.location(song)
            #expect(location.target == "/a%20b.mp3" && location.path.name == "a b.mp3")
            #expect(location.display == song && location.placeDisplay == song)
            #expect(location.headers.isEmpty && location.account == "me")
            func isServed(_ target: String, of location: MediaLocation) -> Bool {
                location.media(for: target[...], in: resolver.library) != nil
            }
            #expect(isServed("/a%20b.mp3", of: location))
            for target in ["/list.m3u", "/deep/c.mp3", "/", "/../x"] {
                #expect(!isServed(target, of: location), "\(target)")
            }
            let playlist = try resolver.location(list)
            for target in ["/list.m3u", "/a%20b.mp3", "/deep/c.mp3"] {
                #expect(isServed(target, of: playlist), "\(target)")
            }
            #expect(!isServed("/../x.mp3", of: playlist))
        }
    }

    @Test("a folder is served whole, is not a medium, and is checked before a player starts")
    func folders() async throws {
        _ = try self.file("music/a.mp3")
        try await self.with { resolver throws in
            for name in [self.folder.path(of: "music"), "music:", "music:/"] {
                let location = try resolver.location(name)
                #expect(location.target == "/" && location.path == .root)
                let error = #expect(throws: CommandError.self) {
                    try location.media(in: resolver.library)
                }
                #expect(error?.status == .usage)
                #expect(error?.description.contains("is a folder") == true)
            }
            _ = try self.file("music/deep/c.mp3")
            let deep = try resolver.location("music:/deep")
            #expect(try await deep.folder(in: resolver.library)?.target == "/deep/")
            let failure = SourceError(.notMedia, "")
            let error = await deep.explained(failure) as? CommandError
            #expect(error?.description.contains("weir ls music:/deep") == true)
            let file = try resolver.location("music:/a.mp3")
            #expect(await file.explained(failure) is SourceError)
            #expect(try await file.folder(in: resolver.library) == nil)
        }
    }

    @Test("a page is reported as a page, whatever its server answers for a folder of that name")
    func pages() async throws {
        let library = try MediaLibrary(
            MediaLibrary.Configuration(directory: self.folder.path(of: "cache")),
            transport: NamingTransport(names: [])
        )
        let environment = ProgramEnvironment([:])
        let resolver = MediaResolver(
            library: library,
            settings: MediaSettings(
                environment: environment,
                configuration: Configuration(file: "/etc/w/config.toml")
            )
        )
        let location = try resolver.location("https://web.example/music/page")
        let error = await #expect(throws: SourceError.self) {
            _ = try await location.folder(in: library)
        }
        #expect(error?.code == .notMedia)
        #expect(error?.message.contains("sent an HTML page") == true)
        await library.close()
    }

    @Test("a missing file is an error before a player starts")
    func missing() async throws {
        _ = try self.file("music/a.mp3")
        try await self.with { resolver throws in
            let location = try resolver.location("music:/none.mp3")
            let error = await #expect(throws: SourceError.self) {
                _ = try await location.folder(in: resolver.library)
            }
            #expect(error?.code == .notFound)
            let none = #expect(throws: CommandError.self) {
                try resolver.location(self.folder.path(of: "none"))
            }
            #expect(none?.status == .notFound)
        }
    }

    @Test(
        "a source has its own headers, account and policy; other headers apply beside its own"
    )
    func http() async throws {
        try await self.with(headers: Self.headers(), account: "me") { resolver throws in
            let location = try resolver.location("archive:a b.mp3?x=1")
            #expect(location.name == "archive")
            #expect(location.placeDisplay == "https://archive.example/music/")
            #expect(location.target == "/a%20b.mp3%3Fx%3D1")
            #expect(location.urlTarget == "/a%20b.mp3?x=1")
            #expect(location.headers["X-Plain"] == "1")
            #expect(location.headers["Authorization"] == "Bearer t")
            #expect(location.account == "me")
            #expect(location.volatileQuery == ["sig"])
            #expect(location.validator == .modified)
            #expect(location.load?.isImmutable == true)
            #expect(location.load?.storesForbidden == true)
            #expect(location.path.name == "a b.mp3?x=1")
            let storage = location.origin(in: resolver.library)
            #expect(storage.displayName(of: location.path) == "archive:/a b.mp3?x=1")
        }
    }

    @Test("a header on the command line is refused for a source with its own credential")
    func credentials() async throws {
        try await self.with(headers: Self.headers(), account: "me") { resolver throws in
            for name in ["nas:/a.mp3", "disk:/a.mp3", "music:/a.mp3"] {
                let error = #expect(throws: CommandError.self) { try resolver.location(name) }
                #expect(error?.status == .usage)
                #expect(error?.description.hasPrefix("--header is for URLs") == true)
            }
        }
    }

    @Test("a source's account applies if the command line names no account")
    func accounts() async throws {
        try await self.with { resolver throws in
            #expect(try resolver.location("nas:/a.mp3").account == "home")
            #expect(try resolver.location("archive:/a.mp3").account == nil)
        }
        try await self.with(account: "me") { resolver throws in
            #expect(try resolver.location("nas:/a.mp3").account == "me")
        }
    }

    @Test("services are storages that can be listed, and their paths are encoded once")
    func services() async throws {
        try await self.with { resolver throws in
            for (name, display) in [
                ("nas", "https://nas.example/dav/"), ("link", "get-link"),
                ("music", self.folder.path(of: "music")),
            ] {
                let location = try resolver.location("\(name):/a b/c%20d.mp3")
                #expect(location.name == name && location.placeDisplay == display)
                #expect(location.target == "/a%20b/c%2520d.mp3")
                #expect(location.path.description == "/a b/c%20d.mp3")
                #expect(location.display == "\(name):/a b/c%20d.mp3")
                #expect(location.knownStorage != nil)
                #expect(location.target(of: location.path) == location.target)
            }
        }
    }

    @Test("a missing secret is an error when its source is named, and not before")
    func secrets() async throws {
        try await self.with(variables: [:]) { resolver throws in
            #expect(throws: Never.self) { try resolver.location("music:/a.mp3") }
            let error = #expect(throws: CommandError.self) { try resolver.location("nas:/a.mp3") }
            #expect(error?.description.contains("the variable NAS") == true)
        }
    }

    @Test(
        "the command line's decryption applies everywhere, else each source's own, if keys may be read"
    )
    func decryption() async throws {
        let environment = ProgramEnvironment(["KEY": "000102030405060708090a0b0c0d0e0f"])
        let keys = KeyReader(environment) { _ in }
        try await self.with { resolver throws in
            // A resolver without a key reader decrypts nothing, as in a list.
            #expect(try resolver.location("sealed:/a").decryption == nil)
        }
        try await self.with(keys: keys) { resolver throws in
            #expect(try resolver.location("sealed:/a").decryption != nil)
            #expect(try resolver.location("archive:/a").decryption == nil)
        }
        let choices = CipherChoices(scheme: .aesCBC, keyVariable: "KEY")
        let settings = try choices.settings(.options)
        let decryption = try #require(settings).decryption(keys)
        try await self.with(decryption: decryption) { resolver throws in
            for name in ["sealed:/a", "archive:/a", "https://h.example/a"] {
                #expect(try resolver.location(name).decryption != nil, "\(name)")
            }
        }
    }

    @Test("a station comes before every other meaning, and NAME:PATH of a source before a file")
    func precedence() async throws {
        let stations = """
            [stations.groove]
            url = "http://radio.example/x"
            """
        try await self.with(stations: stations) { resolver throws in
            #expect(try resolver.reference("groove").station != nil)
            #expect(try resolver.reference("music:/a.mp3").name == "music")
            #expect(throws: CommandError.self) { try resolver.reference("music") }
            // A name with a folder is a path, even if a source's name and a colon follow the
            // folder.
            let path = try self.file("music:a.mp3")
            #expect(try resolver.reference(path).name == "origin")
            #expect(throws: CommandError.self) { try resolver.location("groove") }
        }
    }

    @Test("a station sends its own headers and the command line's, and opens no connection yet")
    func stations() async throws {
        let stations = """
            [stations.groove]
            url = "http://radio.example"
            header-env = ["Cookie=COOKIE"]
            """
        try await self.with(stations: stations, variables: ["COOKIE": "c"]) { resolver throws in
            let reference = try resolver.reference("groove")
            #expect(reference.name == "groove" && reference.target == "/stream")
            #expect(reference.display == "http://radio.example/")
            #expect(reference.namedOnly.station?.name == "groove")
        }
        try await self.with(stations: stations, variables: [:]) { resolver throws in
            let error = #expect(throws: CommandError.self) { try resolver.reference("groove") }
            #expect(error?.description.contains("the variable COOKIE") == true)
        }
    }

    @Test("a path that servers may take for the way up is refused, and the error says so")
    func climbing() async throws {
        try await self.with { resolver throws in
            for name in ["archive:/..;/a.mp3", "archive:/%2e%2e/a.mp3", "music:/..;up.mp3"] {
                let location = try resolver.location(name)
                let error = #expect(throws: CommandError.self) {
                    try location.media(in: resolver.library)
                }
                #expect(error?.description.contains("path outside its folder") == true, "\(name)")
            }
        }
    }
}
