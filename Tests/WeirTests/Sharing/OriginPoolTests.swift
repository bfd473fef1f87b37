// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit

@testable import Weir

@Suite("The patience with a resource that several can bring", .timeLimit(.minutes(1)))
struct LentOriginTests {
    /// A transport that never gets through, and counts.
    private final class Dead: HTTPTransport {
        let count = Watched(0)

        func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
            self.count.update { $0 += 1 }
            throw HTTPTransportError(.connectionLost, "the connection was reset")
        }
    }

    @Test("is spent once: the first is asked again and again, each other once")
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
        // The newest is asked first.
        #expect(transports.map(\.count.value) == [1, 1, 6])
        #expect(leases.count == 3)
    }

    @Test("crosses to another process with the demand")
    func crosses() {
        let demand = ReadDemand(.whole)
        #expect(!DemandMessage(demand).isSpent)
        #expect(RetryAllowance.$isSpent.withValue(true) { DemandMessage(demand).isSpent })
    }
}
