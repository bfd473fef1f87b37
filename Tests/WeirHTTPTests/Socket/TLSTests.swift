// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing
import WeirHTTP
import WeirSource
import WeirTestKit
import WeirTestServers

@testable import WeirNIOTransport

@Suite("An origin with a certificate", .timeLimit(.minutes(1)))
struct TLSTests {
    /// Describes a URL over its own transport.
    private func describe(_ url: String, caFile: String?) async throws -> ResourceDescription {
        let transport = try NIOTransport(
            .init(caFile: caFile, proxies: ProxySettings.none)
        )
        do {
            let origin = HTTPOrigin(
                url: try OriginURL(url),
                options: SocketTests.options,
                transport: transport
            )
            let description = try await origin.describe()
            await transport.shutdown()
            return description
        } catch {
            await transport.shutdown()
            throw error
        }
    }

    private func caFile(_ directory: TemporaryDirectory, _ text: String) throws -> String {
        let path = directory.path(of: "ca.pem")
        try writeFile(text, to: path)
        return path
    }

    @Test("is refused, at once, unless its certificate is known")
    func isRefused() async throws {
        let file = PatternFile()
        let server = try await ScriptedServer.start(isTLS: true) { file.answer($0) }
        let error = await sourceError {
            _ = try await self.describe(server.url("/a.mp3?t=s3cret", scheme: "https"), caFile: nil)
        }
        #expect(error?.code == .insecure)
        #expect(
            error?.message
                == "The identity of 127.0.0.1:\(server.port) could not be verified (its certificate is not"
                + " trusted); check the address and the clock, or add the certificate of its issuer"
                + " as a CA file if you trust it."
        )
        #expect(server.state.value.requests.isEmpty)
        #expect(server.state.value.opened == 1)
        await server.shutdown()
    }

    @Test("is read when its certificate is in the CA file", arguments: ["127.0.0.1", "localhost"])
    func isRead(_ host: String) async throws {
        let directory = TemporaryDirectory()
        let caFile = try self.caFile(directory, TestCertificate.certificate)
        let file = PatternFile()
        let server = try await ScriptedServer.start(isTLS: true) { file.answer($0) }
        let url = server.url("/a.mp3", scheme: "https", host: host)
        #expect(try await self.describe(url, caFile: caFile).length == 500_000)
        await server.shutdown()
    }

    @Test("is refused under a name that is not in its certificate")
    func isRefusedUnderOtherName() async throws {
        let directory = TemporaryDirectory()
        let caFile = try self.caFile(directory, TestCertificate.certificate)
        let server = try await ScriptedServer.start(isTLS: true, host: "127.0.0.2") { _ in [] }
        let error = await sourceError {
            _ = try await self.describe(
                server.url("/a.mp3", scheme: "https", host: "127.0.0.2"),
                caFile: caFile
            )
        }
        #expect(error?.code == .insecure)
        #expect(error?.message.contains("its certificate is for another name") == true)
        await server.shutdown()
    }

    @Test(
        "is verified by its name, and by its address if the URL has an address",
        arguments: [
            ("example.org", "192.0.2.1", "example.org"),
            ("example.org.", "192.0.2.1", "example.org"),
            ("192.0.2.1", "192.0.2.1", nil), ("2001:DB8::1", "2001:db8:0:0:0:0:0:1", nil),
        ]
    )
    func verifiedName(_ host: String, _ peer: String, _ name: String?) throws {
        let peer = try SocketAddress(ipAddress: peer, port: 443)
        #expect(try NIOConnection.name(of: host, over: peer) == name)
    }

    @Test("with an IP address is refused behind a proxy, as the proxy's address would be verified")
    func addressBehindProxy() throws {
        let proxy = try SocketAddress(ipAddress: "192.0.2.9", port: 3128)
        let error = #expect(throws: HTTPTransportError.self) {
            try NIOConnection.name(of: "192.0.2.1", over: proxy)
        }
        #expect(error?.code == .insecure)
    }

    @Test("is refused when it does not speak TLS")
    func isRefusedWithoutTLS() async throws {
        let server = try await ScriptedServer.start { _ in
            [.text("HTTP/1.1 400 Bad Request\r\n\r\n"), .close]
        }
        // A TLS greeting has no empty line, so the server would wait forever. The test closes the
        // server instead.
        async let failure = sourceError {
            _ = try await self.describe(server.url("/a", scheme: "https"), caFile: nil)
        }
        try await server.state.wait { $0.opened == 1 }
        await server.shutdown()
        let error = await failure
        #expect(error?.code == .insecure || error?.code == .unreachable)
    }

    @Test(
        "is reported as without TLS when it answers a handshake with other bytes",
        arguments: [
            "HTTP/1.1 400 Bad Request\r\n\r\n", "HTTP/1.0 400 Bad request version\r\n\r\nx",
            "<!DOCTYPE HTML>\n<html>Error 400</html>", "SSH-2.0-OpenSSH_9.6\r\n",
        ]
    )
    func tellsPlainServer(_ answer: String) async throws {
        let (error, port) = try await self.greeted(answer)
        #expect(error?.code == .insecure)
        #expect(
            error?.message
                == "The address begins with https://, but 127.0.0.1:\(port) does not speak TLS at this port (it answered"
                + " without TLS); begin it with http:// if the server speaks http, or check the port."
        )
    }

    @Test(
        "is reported as closing the connection in the handshake, perhaps because it speaks http",
        arguments: ["", "no"]
    )
    func tellsClosing(_ answer: String) async throws {
        let (error, port) = try await self.greeted(answer)
        #expect(error?.code == .insecure)
        #expect(
            error?.message
                == "127.0.0.1:\(port) closed the connection during the TLS handshake; if it speaks http, use"
                + " http:// instead of https://, else check the port or try again later."
        )
    }

    /// Sends an https request to a server that answers the TLS greeting with this text and closes.
    private func greeted(_ answer: String) async throws -> (error: SourceError?, port: Int) {
        let server = try PlainServer(answer)
        defer { server.stop() }
        let error = await sourceError {
            _ = try await self.describe("https://127.0.0.1:\(server.port)/a.mp3", caFile: nil)
        }
        return (error, server.port)
    }

    @Test(
        "gets no request with an unusable CA file",
        arguments: [nil, "", "no certificate"]
    )
    func refusesBadFile(_ text: String?) async throws {
        let directory = TemporaryDirectory()
        let path = directory.path(of: "ca.pem")
        if let text { try writeFile(text, to: path) }
        let error = await sourceError {
            _ = try NIOTransport(.init(caFile: path, proxies: ProxySettings.none))
        }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.hasPrefix("The CA file \(path) cannot be used") == true)
    }
}
