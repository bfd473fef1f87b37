// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirNIOTransport
import WeirTestKit
import WeirTestServers

@Suite("A connection that is closed within a response", .timeLimit(.minutes(1)))
struct AbandonedAnswerTests {
    @Test("sends the origin a reset", arguments: [false, true])
    func reset(isTLS: Bool) async throws {
        let directory = TemporaryDirectory()
        let caFile = directory.path(of: "ca.pem")
        try writeFile(TestCertificate.certificate, to: caFile)
        let server = try await ScriptedServer.start(isTLS: isTLS) { _ in
            [.text("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n12345"), .stall]
        }
        let transport = try NIOTransport(
            .init(caFile: caFile, proxies: ProxySettings.none)
        )
        let url = server.url("/a", scheme: isTLS ? "https" : "http")
        let request = HTTPTransportRequest(url: try OriginURL(url))
        try await transport.send(request).body.cancel()
        try await server.state.wait { $0.closed == 1 }
        #expect(server.state.value.resets == 1)
        await transport.shutdown()
        await server.shutdown()
    }
}
