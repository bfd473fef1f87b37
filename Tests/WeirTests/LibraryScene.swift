// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import Weir
import WeirProxy
import WeirTestKit

/// A real HTTP server with one scripted resource, and libraries that play it.
final class LibraryScene: Sendable {
    let origin: ScriptedSource
    let server: ProxyServer
    let folder = TemporaryDirectory()

    init(_ resource: ScriptedResource) async throws {
        self.origin = ScriptedSource(resource)
        self.server = try await ProxyServer.start(
            ProxyConfiguration(port: 0, secret: nil),
            router: OneSource(source: self.origin)
        )
    }

    func url(_ path: String = "/music/song.mp3") throws -> URL {
        try #require(URL(string: "http://127.0.0.1:\(self.server.port)\(path)"))
    }

    func library(_ change: (inout MediaLibrary.Configuration) -> Void = { _ in }) throws
        -> MediaLibrary
    {
        var options = MediaLibrary.Configuration(directory: self.folder.path)
        // The server is the proxy, which tells players to revalidate every time.
        options.load.heedsFreshness = false
        change(&options)
        return try MediaLibrary(options)
    }

    /// Ends the server, so that the origin is gone.
    func stop() async {
        await self.server.shutdown()
    }

    /// Reads a range of a medium to its end.
    static func bytes(_ media: Media, _ range: RequestedRange = .whole) async throws -> [UInt8] {
        var bytes: [UInt8] = []
        for try await chunk in try await media.read(range) { bytes += try chunk.bytes() }
        return bytes
    }

    private struct OneSource: ProxyRouter {
        let source: ScriptedSource
        func source(for target: String) -> (any ByteSource)? { self.source }
    }
}
