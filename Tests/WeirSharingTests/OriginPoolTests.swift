// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import WeirSharing

@Suite("The retry allowance of a resource with several origins", .timeLimit(.minutes(1)))
struct LentOriginTests {
    /// A transport that never connects, and counts its attempts.
    private final class Dead: HTTPTransport {
        let count = Watched(0)

        func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
            self.count.update { $0 += 1 }
            throw HTTPTransportError(.connectionLost, "the connection was reset")
        }
    }

    @Test("is used up once: the first origin is asked several times, each other once")
    func isSpentOnce() async throws {
        let transports = (0..<3).map { _ in Dead() }
        let lent = OriginPool()
        var leases: [OriginPool.OriginLease] = []
        for transport in transports {
            let origin = HTTPOrigin(
                url: try OriginURL("https://media.test/a.mp3"),
                options: HTTPOrigin.Options(retry: RetryPolicy(firstDelay: .zero)),
                transport: transport
            )
            leases.append(lent.lend(origin))
        }
        await #expect(throws: SourceError.self) { _ = try await lent.read(.whole) }
        // The newest origin gets the first request.
        #expect(transports.map(\.count.value) == [1, 1, 6])
        #expect(leases.count == 3)
    }

    /// Records whether a request was marked as the last try.
    private struct Noting: ByteSource {
        let base: ScriptedSource
        let wasLastTry = Watched(false)

        func describe() async throws -> ResourceDescription { try await self.base.describe() }

        func read(_ demand: ReadDemand) async throws -> ByteReading {
            let isSpent = RetryAllowance.isSpent
            self.wasLastTry.update { $0 = isSpent }
            return try await self.base.read(demand)
        }
    }

    @Test("passes to another process with the demand")
    func crosses() async throws {
        let scene = try await SharingScene(ScriptedResource(length: 1 << 20))
        let lent = Noting(base: scene.origin)
        let other = SharingScene.source(lent, scene.user)
        _ = try await SharingScene.bytes(other, .span(0..<10))
        #expect(!lent.wasLastTry.value)
        // The owner's own origin is the newest, and fails first.
        let refusing = ScriptedSource(length: 1)
        refusing.refuse(with: SourceError(.unauthorized, "Say who you are."), times: nil)
        let own = SharingScene.source(refusing, scene.owner)
        #expect(
            try await SharingScene.bytes(own) == ReadBytes(PatternBytes.bytes(in: 0..<(1 << 20)))
        )
        #expect(lent.wasLastTry.value)
        await other.close()
        await scene.close()
    }
}
