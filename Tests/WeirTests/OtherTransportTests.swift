// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import Weir
import WeirHTTP
import WeirNIOTransport
import WeirTestKit

@Suite("A library over another transport")
struct OtherTransportTests {
    @Test("sends every request over it, and leaves it open when it closes")
    func other() async throws {
        let scene = try await LibraryScene(ScriptedResource(length: 100_000))
        let transport = Counting(try NIOTransport())
        for count in 1...2 {
            let library = try MediaLibrary(
                MediaLibrary.Configuration(directory: "\(scene.folder.path)/\(count)"),
                transport: transport
            )
            let bytes = try await LibraryScene.bytes(try library.media(scene.url()))
            #expect(PatternBytes.firstDifference(in: bytes, at: 0) == nil)
            #expect(transport.sent.value == count)
            await library.close()
        }
        await transport.base.shutdown()
        await scene.stop()
    }

    private final class Counting: HTTPTransport {
        let base: NIOTransport
        let sent = Watched(0)

        init(_ base: NIOTransport) {
            self.base = base
        }

        func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
            self.sent.update { $0 += 1 }
            return try await self.base.send(request)
        }
    }
}
