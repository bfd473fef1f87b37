// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit
import WeirTestServers
import WeirURLSession

@Suite("The landing page", .timeLimit(.minutes(1)))
struct LandingPageTests {
    /// Reads the start of a resource over the transport.
    private func firstBytes(of url: String, token: String) async throws -> [UInt8] {
        let transport = URLSessionTransport()
        var options = HTTPOrigin.Options()
        options.headers.append(try HTTPHeader(name: "Authorization", value: "OAuth \(token)"))
        let origin = HTTPOrigin(url: try OriginURL(url), options: options, transport: transport)

        var bytes: [UInt8] = []
        for try await chunk in try await origin.read(.span(0..<1_000)) {
            bytes += try chunk.bytes()
        }

        await transport.shutdown()
        return bytes
    }

    @Test("a read sends one request, with the caller's header")
    func program() async throws {
        let file = PatternFile()
        let server = try await ScriptedServer.start { file.answer($0) }
        let bytes = try await self.firstBytes(of: server.url("/song.mp3"), token: "abc")
        #expect(bytes == PatternBytes.bytes(in: 0..<1_000))
        let requests = server.state.value.requests
        #expect(requests.map { $0.headers["authorization"] } == ["OAuth abc"])
        #expect(requests.map { $0.headers["accept-encoding"] } == ["identity"])
        await server.shutdown()
    }
}
