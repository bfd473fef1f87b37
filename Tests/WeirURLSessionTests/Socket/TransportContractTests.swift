// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirSource
import WeirTestKit
import WeirTestServers
import WeirURLSession

@Suite("An origin over URLSession keeps the contract", .timeLimit(.minutes(2)))
struct TransportContractTests {
    /// Each subject has a server of its own; the received bytes are counted.
    private static let contract = ByteSourceContract(abilities: .all) { resource in
        let file = Watched(Self.file(resource))
        let server = try await ScriptedServer.start { file.value.answer($0) }
        let transport = URLSessionTransport()
        let received = Watched(0)
        let origin = HTTPOrigin(
            url: try OriginURL(server.url("/song.mp3")),
            options: HTTPOrigin.Options(retry: RetryPolicy(firstDelay: .zero)),
            transport: transport,
            observer: { event in
                if case .received(let count) = event { received.update { $0 += count } }
            }
        )
        var subject = ContractSubject(origin)
        subject.originByteCount = { Int64(received.value) }
        subject.replace = { other in file.update { $0 = Self.file(other) } }
        subject.end = {
            await transport.shutdown()
            await server.shutdown()
        }
        return subject
    }

    private static func file(_ resource: ContractResource) -> PatternFile {
        PatternFile(
            length: resource.length,
            seed: resource.seed,
            isLengthKnown: resource.isLengthKnown,
            provesEnd: resource.provesEnd,
            hold: resource.hold.map { ($0.offset, $0.gate) }
        )
    }

    @Test("clause by clause", arguments: ByteSourceContract.clauses)
    func keepsTheContract(_ clause: ByteSourceContract.Clause) async throws {
        #expect(try await clause.check(Self.contract) == .kept)
    }
}
