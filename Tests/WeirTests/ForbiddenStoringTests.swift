// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirCache
import WeirHTTP
import WeirSource
import WeirTestKit

@Suite("Media that a server forbids to store, in a library", .timeLimit(.minutes(1)))
struct ForbiddenStoringTests {
    private static let length: Int64 = 100_000
    private static let bytes = PatternBytes.bytes(in: 0..<Self.length)

    /// A server that sends the caching rules of ownCloud and Nextcloud for its only file.
    private struct Server: HTTPTransport {
        let requests = Watched(0)

        func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
            self.requests.update { $0 += 1 }
            request.whenSent?()
            return HTTPTransportResponse(
                status: 200,
                headers: HTTPHeaderList(received: [
                    ("Content-Length", "\(ForbiddenStoringTests.length)"), ("ETag", "\"v1\""),
                    ("Cache-Control", "no-store, no-cache, must-revalidate"),
                ]),
                body: Body(),
                isEndProven: true
            )
        }
    }

    private final class Body: HTTPBody {
        private let isRead = Watched(false)

        func next() async throws -> ByteMemory? {
            let isFirst = self.isRead.update { isRead in
                defer { isRead = true }
                return !isRead
            }
            return isFirst ? ByteMemory(ForbiddenStoringTests.bytes) : nil
        }

        func cancel() {}
    }

    /// A storage for a folder of the server.
    private final class Storage: MediaStorage {
        private let url: OriginURL
        private let transport: Server

        init(_ transport: Server) throws {
            self.url = try OriginURL("https://cloud.test/dav/a.mp3")
            self.transport = transport
        }

        func displayName(of path: FolderPath) -> String { "cloud:\(path)" }
        func identity(of path: FolderPath) -> String? { "cloud\(path)" }
        var credentialScope: CredentialScope { .credential("secret") }
        func entry(at path: FolderPath) async throws -> FolderEntry { throw CancellationError() }
        func entries(in path: FolderPath) -> FolderPages { FolderPages { { nil } } }
        func source(of path: FolderPath) -> any ByteSource {
            HTTPOrigin(url: self.url, transport: self.transport)
        }
    }

    /// Plays a medium of a library, and returns the held bytes, the data files and the count of warnings.
    private func play(
        _ change: (inout MediaLibrary.Configuration) -> Void = { _ in },
        _ medium: (MediaLibrary, Server) throws -> Media
    ) async throws -> (held: Int64, files: Int, warnings: Int) {
        let (folder, warnings, server) = (TemporaryDirectory(), Watched(0), Server())
        var options = MediaLibrary.Configuration(directory: folder.path)
        options.observer = { event in
            if case .storingForbidden = event { warnings.update { $0 += 1 } }
        }
        change(&options)
        let library = try MediaLibrary(options, transport: server)
        let media = try medium(library, server)
        for _ in 0..<2 {
            #expect(try await LibraryScene.bytes(media) == Self.bytes)
        }
        let held = try await library.resources().reduce(0) { $0 + $1.heldByteCount }
        await library.close()
        return (held, Self.dataFileCount(in: folder.path), warnings.value)
    }

    private static func dataFileCount(in folder: String) -> Int {
        let names = FileManager.default.enumerator(atPath: folder)
        return names?.compactMap { $0 as? String }.count { $0.hasSuffix(".data") } ?? 0
    }

    @Test("of a plain address are not kept, which is reported once")
    func plain() async throws {
        let found = try await self.play { library, _ in
            library.media(try #require(URL(string: "https://cloud.test/dav/a.mp3")))
        }
        #expect(found.held == 0 && found.files == 0 && found.warnings == 1)
    }

    @Test("of a storage that was given to the library are kept")
    func storage() async throws {
        let found = try await self.play { library, server in
            library.media(try FolderPath("/a.mp3"), in: try Storage(server))
        }
        #expect(found.held == Self.length && found.files == 1 && found.warnings == 0, "\(found)")
    }

    @Test("of a plain address are kept if the user says so", arguments: [0, 1])
    func wanted(_ way: Int) async throws {
        let found = try await self.play {
            if way == 0 { $0.load.storesForbidden = true } else { $0.load.prefetch = .whole }
        } _: { library, _ in
            library.media(try #require(URL(string: "https://cloud.test/dav/a.mp3")))
        }
        #expect(found.held == Self.length && found.files == 1 && found.warnings == 0, "\(found)")
    }
}
