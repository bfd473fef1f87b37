// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirClouds
import WeirProxy
import WeirSource
import WeirTestKit

@Suite("A file of this machine, over the proxy", .timeLimit(.minutes(1)))
struct LocalFileTests {
    private struct Router: ProxyRouter {
        let media: Media
        func source(for target: String) -> (any ByteSource)? { self.media }
    }

    private let folder = TemporaryDirectory()
    private var path: String { self.folder.path(of: "music/a.mp3") }

    /// Overwrites the beginning of the file in place, and sets its modification time.
    private func write(_ byte: UInt8, _ count: Int, second: Double) throws {
        let handle = try FileHandle(forUpdating: URL(filePath: self.path))
        try handle.write(contentsOf: Data(repeating: byte, count: count))
        try handle.close()
        try FileManager.default.setAttributes(
            [.modificationDate: Date(timeIntervalSince1970: second)],
            ofItemAtPath: self.path
        )
    }

    @Test(
        "that is rewritten during a pause gives no byte of the new version, and whole only the old version",
        arguments: [100_000, 1_000_000, 3_000_000, 20_000_000]
    )
    func isRewritten(_ length: Int) async throws {
        try FileManager.default.createDirectory(
            atPath: self.folder.path(of: "music"),
            withIntermediateDirectories: true
        )
        #expect(FileManager.default.createFile(atPath: self.path, contents: nil))
        try self.write(65, length, second: 1e9)
        let library = try MediaLibrary(
            MediaLibrary.Configuration(directory: self.folder.path(of: "k"))
        )
        let storage = FileStorage(folder: self.folder.path(of: "music"))
        let media = library.media(try FolderPath("/a.mp3"), in: storage)
        let server = try await ProxyServer.start(
            ProxyConfiguration(port: 0, secret: nil),
            router: Router(media: media)
        )
        let whole = try await PlainClient.ask(server.port)
        #expect(whole.body.count == length && whole.body.allSatisfy { $0 == 65 })

        let client = try await PlainClient.connect(to: server.port, isReading: false)
        try await client.send("/song.mp3")
        let head = try await client.readOnce()
        #expect(head > 0)
        try self.write(66, length, second: 1.5e9)
        try await client.startReading()
        let response = try await client.response()
        #expect(response.status == 200 && response.fields["content-length"] == "\(length)")
        #expect(response.body.allSatisfy { $0 == 65 })
        if length == 20_000_000 { #expect(response.body.count < length, "visibly short") }

        let after = try await PlainClient.ask(server.port)
        #expect(after.body.count == length && after.body.allSatisfy { $0 == 66 })
        await server.shutdown()
        await library.close()
    }
}
