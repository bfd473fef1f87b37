// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOPosix
import Testing
import Weir
import WeirTestKit
import WeirTestServers

@testable import WeirProxy

@Suite("Defects of other loaders: access to the proxy", .timeLimit(.minutes(1)))
struct DefectListeningTests {
    /// Serves one medium under its name; the server needs a secret.
    private struct OneSong: ProxyRouter {
        let media: Media
        func source(for target: String) -> (any ByteSource)? {
            target == "/song.mp3" ? self.media : nil
        }
    }

    /// Runs a proxy with the default configuration.
    private static func run(
        _ body: (DefectScene, ProxyServer, _ secret: String) async throws -> Void
    ) async throws {
        let scene = try await DefectScene()
        let library = try scene.library()
        let configuration = ProxyConfiguration()
        let server = try await ProxyServer.start(
            configuration,
            router: OneSong(media: try library.media(scene.url()))
        )
        try await body(scene, server, try #require(configuration.secret))
        await server.shutdown()
        await library.close()
        await scene.end()
    }

    @Test("defect 3: other machines cannot reach the proxy, which listens only on loopback")
    func loopback() async throws {
        try await Self.run { _, server, _ in
            let bound = server.channel.localAddress
            #expect(bound?.ipAddress == "127.0.0.1")
            #expect(bound?.port == server.port)
            // Other machines would connect to this machine's other addresses, if it has any.
            for device in try System.enumerateDevices() {
                guard case .v4? = device.address, let host = device.address?.ipAddress,
                    !host.hasPrefix("127.")
                else { continue }
                await #expect(throws: (any Error).self, "\(host)") {
                    let client = try await PlainClient.connect(to: server.port, host: host)
                    await client.close()
                }
            }
        }
    }

    @Test("defect 3: no address of the proxy fetches a URL that the client names")
    func openProxy() async throws {
        let other = try await ScriptedServer.start { _ in DefectFile().whole() }
        let url = "http://127.0.0.1:\(other.port)/song.mp3"
        let escaped = url.replacing("%", with: "%25").replacing(":", with: "%3A")
            .replacing("/", with: "%2F")
        try await Self.run { scene, server, secret in
            let targets = [
                "/\(secret)/\(url)", "/\(secret)/\(escaped)", "/\(secret)/?url=\(escaped)",
                "/\(secret)/song.mp3/\(escaped)", "/\(url)", "/\(escaped)", "/?url=\(escaped)", url,
            ]
            for target in targets {
                let response = try await PlainClient.ask(server.port, target)
                #expect(response.status >= 400, "\(target)")
                #expect(response.body.count < 1000)
            }
            let tunnel = try await PlainClient.ask(
                server.port,
                "127.0.0.1:\(other.port)",
                method: "CONNECT"
            )
            #expect(tunnel.status >= 400)
            #expect(other.requests.isEmpty)
            #expect(scene.origin.requests.isEmpty)
        }
        await other.shutdown()
    }

    @Test("defect 4: without the secret every address of the proxy is not found")
    func secret() async throws {
        try await Self.run { scene, server, secret in
            #expect(secret.utf8.count == 32)
            let wrong = [
                "/song.mp3", "//song.mp3", "/\(ProxySecret().text)/song.mp3",
                "/\(secret.dropLast())/song.mp3", "/\(secret)0/song.mp3",
                "/\(secret.uppercased())x/song.mp3", "/song.mp3?\(secret)",
            ]
            for target in wrong {
                let response = try await PlainClient.ask(server.port, target)
                #expect(response.status == 404, "\(target)")
            }
            #expect(scene.origin.requests.isEmpty)
            let right = try await PlainClient.ask(server.port, "/\(secret)/song.mp3")
            #expect(right.status == 200)
            #expect(right.body.count == 400_000)
        }
    }

    @Test("defect 4: no configuration lets the proxy listen off loopback without a secret")
    func noSecret() async throws {
        for host in ["0.0.0.0", "::"] {
            await #expect {
                let server = try await ProxyServer.start(
                    ProxyConfiguration(host: host, secret: nil),
                    router: NoRoute()
                )
                await server.shutdown()
            } throws: { ($0 as? ProxyError)?.code == .insecure }
        }
    }

    private struct NoRoute: ProxyRouter {
        func source(for target: String) -> (any ByteSource)? { nil }
    }
}
