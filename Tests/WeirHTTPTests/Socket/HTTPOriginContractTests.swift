// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP
import WeirNIOTransport
import WeirSource
import WeirTestKit
import WeirTestServers

@Suite("An origin behind a real socket keeps the contract", .timeLimit(.minutes(2)))
struct HTTPOriginContractTests {
    /// Each subject has its own server, and counts the bytes that its origin receives.
    private static let contract = ByteSourceContract(abilities: .all) { resource in
        let file = Watched(Self.file(resource))
        let server = try await ScriptedServer.start { file.value.answer($0) }
        let transport = try NIOTransport(.init(proxies: ProxySettings.none))
        let log = EventLog()
        let origin = HTTPOrigin(
            url: try OriginURL(server.url("/song.mp3")),
            options: SocketTests.options,
            transport: transport,
            observer: log.observer
        )
        var subject = ContractSubject(origin)
        subject.originByteCount = { Int64(log.receivedBytes.value) }
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
