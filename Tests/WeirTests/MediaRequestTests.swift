// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirCipher
import WeirClouds
import WeirHTTP
import WeirTestKit
import WeirTestServers

@Suite("Requests to a library, and their effects", .timeLimit(.minutes(1)))
struct MediaRequestTests {
    private static let bytes = PatternBytes.bytes(in: 0..<300_000)

    private static func scene(_ bytes: [UInt8] = Self.bytes) async throws -> LibraryScene {
        var resource = ScriptedResource(bytes: bytes)
        resource.validator = .entityTag("\"1\"")
        return try await LibraryScene(resource)
    }

    @Test(
        "an impossible address is refused by the first question, without any part of it in the message",
        arguments: [
            "ftp://s3cret.test/a.mp3", "s3cret", "http:///s3cret", "data:text/plain,s3cret",
        ]
    )
    func refused(_ address: String) async throws {
        let folder = TemporaryDirectory()
        let library = try MediaLibrary(directory: URL(filePath: folder.path))
        let media = library.media(try #require(URL(string: address)))
        #expect(media.identifier == nil && !media.display.contains("s3cret"))
        for ask in [{ _ = try await media.describe() }, { _ = try await media.data(in: 0..<1) }] {
            let error = await #expect(throws: SourceError.self) { try await ask() }
            #expect(error?.code == .invalidRequest)
            #expect(error?.message.contains("s3cret") == false)
        }
        await library.close()
    }

    @Test("an impossible header is refused by the first question, and is in no message")
    func badHeader() async throws {
        let folder = TemporaryDirectory()
        let library = try MediaLibrary(directory: URL(filePath: folder.path))
        let url = try #require(URL(string: "http://127.0.0.1:1/a.mp3"))
        let media = library.media(url, headers: ["Authorization": "s3cret\r\nX: y"])
        let error = await #expect(throws: SourceError.self) { try await media.describe() }
        #expect(error?.code == .invalidRequest && error?.message.contains("s3cret") == false)
        await library.close()
    }

    @Test("bytes of the application's own source are kept like others, and are not read again")
    func ownSource() async throws {
        let folder = TemporaryDirectory()
        let source = ScriptedSource(length: 50_000)
        for _ in 0..<2 {
            let library = try MediaLibrary(directory: URL(filePath: folder.path))
            let media = library.media(source, identifiedBy: "box:a.mp3")
            #expect(library.media(source, identifiedBy: "box:a.mp3") === media)
            #expect(library.media(source, identifiedBy: "box:b.mp3") !== media)
            #expect(library.media(source, identifiedBy: "box:a.mp3", account: "me") !== media)
            let bytes = try await media.data(in: 0..<50_000)
            #expect(bytes == Data(PatternBytes.bytes(in: 0..<50_000)))
            #expect(try await library.resources().map(\.display) == ["box:a.mp3"])
            await library.close()
        }
        #expect(source.log.readings.count == 1)
    }

    @Test("a directory must be on this machine")
    func directory() throws {
        let url = try #require(URL(string: "https://cloud.test/cache"))
        let error = #expect(throws: SourceError.self) { try MediaLibrary(directory: url) }
        #expect(error?.code == .invalidRequest)
    }

    @Test("a file of this machine is read in place, whatever bytes its name has")
    func file() async throws {
        let folder = TemporaryDirectory()
        let library = try MediaLibrary(directory: URL(filePath: folder.path(of: "cache")))
        let file = URL(filePath: folder.path(of: "Песня № 1 %41.mp3"))
        try Data(Self.bytes).write(to: file)
        let media = library.media(file)
        #expect(library.media(file) === media)
        #expect(media.identifier == nil)
        #expect(try await media.data(in: 10..<20) == Data(Self.bytes[10..<20]))
        try await media.pin()
        #expect(try await media.remove() == false)
        let copy = URL(filePath: folder.path(of: "copy"))
        #expect(try await media.export(to: copy) == 300_000)
        #expect(try Data(contentsOf: copy) == Data(Self.bytes))
        await library.close()
    }

    @Test("a range of data is cut at the end, empty at the end, and refused past the end")
    func data() async throws {
        let scene = try await Self.scene()
        let library = try scene.library()
        let media = library.media(try scene.url())
        #expect(try await media.data(in: 299_990..<400_000) == Data(Self.bytes[299_990...]))
        #expect(try await media.data(in: 300_000..<300_001).isEmpty)
        #expect(try await media.data(in: 5..<5).isEmpty)
        let error = await #expect(throws: SourceError.self) {
            try await media.data(in: 300_001..<300_002)
        }
        #expect(error?.code == .rangeNotSatisfiable)
        await library.close()
        await scene.stop()
    }

    @Test(
        "a pin of a medium that was never played asks for its first byte, and holds until it is removed"
    )
    func pin() async throws {
        let scene = try await Self.scene()
        let library = try scene.library()
        let media = library.media(try scene.url())
        try await media.pin()
        #expect(try await library.resources().map(\.isPinned) == [true])
        try await media.unpin()
        #expect(try await library.resources().map(\.isPinned) == [false])
        #expect(try await media.remove())
        #expect(try await media.remove() == false)
        #expect(try await media.verify() == nil)
        await library.close()
        await scene.stop()
    }

    @Test("an export fetches the missing bytes, once, and replaces an existing file")
    func export() async throws {
        let scene = try await Self.scene()
        let library = try scene.library()
        let media = library.media(MediaRequest(url: try scene.url(), account: "me"))
        _ = try await media.data(in: 100_000..<200_000)
        let file = URL(filePath: scene.folder.path(of: "copy of a song"))
        try Data("older".utf8).write(to: file)
        for _ in 0..<2 {
            #expect(try await media.export(to: file) == 300_000)
            #expect(try Data(contentsOf: file) == Data(Self.bytes))
        }
        #expect(library.totals.snapshot.receivedBytes == 300_000)
        #expect(media.availability.isComplete)
        await library.close()
        await scene.stop()
        let names = try FileManager.default.contentsOfDirectory(atPath: scene.folder.path)
        #expect(!names.contains { $0.hasPrefix(".copy") })
    }

    @Test("an export of an encrypted medium is plain, and the cache holds the encrypted bytes")
    func encrypted() async throws {
        let key = try CipherKey(SecretBytes(Array(repeating: 7, count: 16)))
        let vector = [UInt8](repeating: 9, count: 16)
        var sealer = try Sealer(.aesCTR(key, initialVector: vector))
        let stored = try Self.bytes.withUnsafeBytes { try sealer.seal($0) } + sealer.finish()
        let scene = try await Self.scene(stored)
        let library = try scene.library()
        let vault = try Decryption.aes(
            AESFormat(.ctr, initialVector: .bytes(vector)),
            key: .key(key)
        )
        let film = library.media(MediaRequest(url: try scene.url(), decryption: vault))
        let file = URL(filePath: scene.folder.path(of: "film"))
        #expect(try await film.export(to: file) == 300_000)
        #expect(try Data(contentsOf: file) == Data(Self.bytes))
        #expect(try await LibraryScene.bytes(library.media(try scene.url())) == stored)
        await library.close()
        await scene.stop()
    }

    @Test("an export that fails leaves nothing behind, and the older file unchanged")
    func failedExport() async throws {
        let scene = try await Self.scene()
        let library = try scene.library { $0.origin.retry = .never }
        let media = library.media(try scene.url())
        _ = try await media.data(in: 0..<1)
        await scene.stop()
        let folder = TemporaryDirectory()
        let file = URL(filePath: folder.path(of: "copy"))
        try Data("older".utf8).write(to: file)
        await #expect(throws: SourceError.self) { try await media.export(to: file) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["copy"])
        #expect(try Data(contentsOf: file) == Data("older".utf8))
        await library.close()
    }

    @Test("a request says how much is kept")
    func keep() async throws {
        let scene = try await Self.scene()
        let library = try scene.library()
        let media = library.media(MediaRequest(url: try scene.url(), prefetch: .whole))
        let changes = media.availabilityChanges()
        _ = try await media.data(in: 0..<2)
        for await now in changes where now.isComplete { break }
        #expect(media.availability.held == RangeSet(0..<300_000))
        await library.close()
        await scene.stop()
    }

    @Test("a storage lists its folders, and opens the listed entries")
    func storage() async throws {
        let server = YandexDiskServer(files: [
            "/Music/a.mp3": .pattern(length: 1_000), "/Music/Живое/b.mp3": .pattern(length: 2_000),
        ])
        try await server.start()
        let folder = TemporaryDirectory()
        let library = try MediaLibrary(directory: URL(filePath: folder.path))
        let disk = library.storage(
            .yandexDisk(
                credentials: FixedCredential(token: "y0_weir-test-token"),
                api: URL(string: "\(server.apiURL)/")
            )
        )
        var paths: [String] = []
        for try await item in disk.list("/Music") {
            paths.append(item.path)
            guard item.isFolder else {
                #expect(item.length == 1_000)
                #expect(try await disk.media(item).data(in: 0..<9_999).count == 1_000)
                continue
            }
            for try await inner in disk.list(item.path) { paths.append(inner.path) }
        }
        #expect(paths.sorted() == ["/Music/a.mp3", "/Music/Живое/", "/Music/Живое/b.mp3"])
        #expect(try await disk.item(at: "/Music/a.mp3").name == "a.mp3")
        #expect(disk.media("/Music/a.mp3") === disk.media("/Music/a.mp3"))
        await #expect(throws: SourceError.self) { for try await _ in disk.list("/Nothing") {} }
        await #expect(throws: SourceError.self) { for try await _ in disk.list("none/../..") {} }
        await #expect(throws: SourceError.self) { try await disk.media("../x").describe() }
        await library.close()
        await server.shutdown()
    }

    @Test(
        "a folder of this machine is a storage, and a service without an address refuses the first question"
    )
    func folders() async throws {
        let folder = TemporaryDirectory()
        try Data(Self.bytes).write(to: URL(filePath: folder.path(of: "a.mp3")))
        let library = try MediaLibrary(directory: URL(filePath: folder.path(of: "cache")))
        let storage = library.storage(.folder(URL(filePath: folder.path), name: "here"))
        var names: [String] = []
        for try await item in storage.list() where !item.isFolder { names.append(item.name) }
        #expect(names == ["a.mp3"])
        #expect(try await storage.media("/a.mp3").data(in: 0..<4) == Data(Self.bytes[..<4]))
        let broken = library.storage(.webDAV(URL(filePath: "/no/server")))
        await #expect(throws: SourceError.self) { for try await _ in broken.list() {} }
        await #expect(throws: SourceError.self) { try await broken.media("/a").describe() }
        await library.close()
    }
}
