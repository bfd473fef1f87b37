// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit
import WeirTestServers
import WeirURLSession

/// A server on loopback and a transport, for the duration of a test.
struct Rig: Sendable {
    let server: ScriptedServer
    let transport: URLSessionTransport

    /// Runs a test and ends both.
    static func with(
        transport: URLSessionTransport = URLSessionTransport(),
        _ script: @escaping @Sendable (ScriptedServer.Request) -> [ScriptedServer.Step],
        _ test: (Rig) async throws -> Void
    ) async throws {
        let rig = Rig(server: try await ScriptedServer.start(script), transport: transport)
        do {
            try await test(rig)
        } catch {
            await rig.transport.shutdown()
            await rig.server.shutdown()
            throw error
        }
        await rig.transport.shutdown()
        await rig.server.shutdown()
    }

    /// An origin that retries at once, so that no test waits.
    func origin(_ target: String, retry: RetryPolicy = RetryPolicy(firstDelay: .zero)) throws
        -> HTTPOrigin
    {
        HTTPOrigin(
            url: try OriginURL(self.server.url(target)),
            options: HTTPOrigin.Options(retry: retry),
            transport: self.transport
        )
    }

    /// Sends one request directly, without the origin.
    func send(
        _ target: String,
        method: String = "GET",
        headers: HTTPHeaderList = HTTPHeaderList(),
        body: [UInt8] = []
    ) async throws -> HTTPTransportResponse {
        try await self.transport.send(
            HTTPTransportRequest(
                url: try OriginURL(self.server.url(target)),
                method: method,
                headers: headers,
                body: body
            )
        )
    }
}

extension HTTPBody {
    /// All bytes.
    func collect() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        while let memory = try await self.next() { memory.withUnsafeBytes { bytes += $0 } }
        return bytes
    }
}

extension ByteReading {
    /// All bytes, after a check that the chunks join.
    func collect() async throws -> [UInt8] {
        var bytes: [UInt8] = []
        var position = self.lowerBound
        for try await chunk in self {
            #expect(chunk.range.lowerBound == position && !chunk.range.isEmpty)
            position = chunk.range.upperBound
            bytes += try chunk.bytes()
        }
        return bytes
    }
}

/// The error that an operation throws, if it is of the wanted kind.
func failure<Failure: Error>(
    _ kind: Failure.Type = HTTPTransportError.self,
    of operation: () async throws -> Void
) async -> Failure? {
    do {
        try await operation()
        return nil
    } catch {
        return error as? Failure
    }
}
