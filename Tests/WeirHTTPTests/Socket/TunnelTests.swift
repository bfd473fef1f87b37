// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirHTTP

@Suite("A tunnel through a proxy")
struct TunnelTests {
    /// A connection that returns a script's bytes, a few at a time, and records the sent bytes.
    private final class Scripted: ByteConnection {
        struct State {
            var sent: [[UInt8]] = []
            var pieces: [[UInt8]] = []
        }

        let state: Watched<State>

        /// - Parameters:
        ///   - bytes: all bytes from the proxy.
        ///   - step: the count of bytes in each piece.
        init(_ bytes: [UInt8], step: Int) {
            let starts = stride(from: 0, to: bytes.count, by: step)
            self.state = Watched(
                State(pieces: starts.map { Array(bytes[$0..<min($0 + step, bytes.count)]) })
            )
        }

        func send(_ bytes: [UInt8], sent: (@Sendable () -> Void)?) {
            self.state.update { $0.sent.append(bytes) }
        }

        func receive(readsAhead: Bool) async throws -> ByteMemory? {
            let piece = Watched<[UInt8]?>(nil)
            self.state.update { state in
                let first = state.pieces.isEmpty ? nil : state.pieces.removeFirst()
                piece.update { $0 = first }
            }
            return piece.value.map { ByteMemory($0) }
        }

        func rest(for time: Duration, expired: @escaping @Sendable () -> Void) {}
        func wake() -> Bool { true }
        func close(resetting: Bool) {}
        func closed() async {}
    }

    private func open(
        _ proxy: String,
        _ answer: [UInt8],
        step: Int
    ) async throws -> (sent: [[UInt8]], error: HTTPTransportError?) {
        let settings = try ProxySettings(environment: ["HTTPS_PROXY": proxy])
        let url = try OriginURL("https://media.example:8443/a")
        let endpoint = Endpoint(
            host: url.host,
            port: url.port,
            isSecure: true,
            proxy: settings.proxy(for: url)
        )
        let connection = Scripted(answer, step: step)
        let tunnel = try #require(Tunnel(to: endpoint))
        do {
            try await tunnel.open(over: connection)
            return (connection.state.value.sent, nil)
        } catch let error as HTTPTransportError {
            return (connection.state.value.sent, error)
        }
    }

    @Test("is requested with CONNECT and the proxy's credentials", arguments: [1, 7, 1000])
    func connect(step: Int) async throws {
        let answer = Array("HTTP/1.1 200 Connection established\r\nVia: x\r\n\r\n".utf8)
        let (sent, error) = try await self.open("http://me:pass@p:3128", answer, step: step)
        #expect(error == nil)
        #expect(
            sent.map { String(decoding: $0, as: UTF8.self) } == [
                "CONNECT media.example:8443 HTTP/1.1\r\nHost: media.example:8443\r\n"
                    + "Proxy-Authorization: Basic bWU6cGFzcw==\r\n\r\n"
            ]
        )
    }

    @Test(
        "is refused by an HTTP proxy with a reason",
        arguments: [
            ("HTTP/1.1 407 No\r\n\r\n", HTTPTransportError.Code.proxyRefused),
            ("HTTP/1.1 403 No\r\n\r\n", .proxyRefused),
            ("HTTP/1.1 200 Yes\r\n\r\nx", .malformed),
            ("SSH-2.0\r\n", .malformed), ("HTTP/1.1 200 Yes\r\n", .connectionLost),
        ]
    )
    func refusedConnect(_ answer: String, _ code: HTTPTransportError.Code) async throws {
        #expect(try await self.open("http://p:1", Array(answer.utf8), step: 50).error?.code == code)
    }

    @Test("is requested with version 5 of SOCKS and the host's name", arguments: [1, 3, 100])
    func socks(step: Int) async throws {
        let ends: [[UInt8]] = [
            [1, 127, 0, 0, 1, 4, 5], [3, 2, 97, 98, 4, 5],
            [4] + Array(repeating: 0, count: 16) + [4, 5],
        ]
        for end in ends {
            let (sent, error) = try await self.open(
                "socks5://p",
                [5, 0, 5, 0, 0] + end,
                step: step
            )
            #expect(error == nil)
            #expect(
                sent == [[5, 1, 0], [5, 1, 0, 3, 13] + Array("media.example".utf8) + [32, 251]]
            )
        }
    }

    @Test(
        "is refused by SOCKS with a reason",
        arguments: [
            ([4, 0], HTTPTransportError.Code.proxyRefused), ([5, 255], .proxyRefused),
            ([5, 0, 5, 2, 0, 1], .proxyRefused), ([5, 0, 5, 4, 0, 1], .unreachable),
            ([5, 0, 5, 5, 0, 1], .unreachable), ([5, 0, 5, 1, 0, 1], .unreachable),
            ([5], .connectionLost), ([5, 0, 5, 0, 0, 3, 200], .connectionLost),
        ] as [([UInt8], HTTPTransportError.Code)]
    )
    func refusedSocks(_ answer: [UInt8], _ code: HTTPTransportError.Code) async throws {
        #expect(try await self.open("socks5://p", answer, step: 100).error?.code == code)
    }
}
