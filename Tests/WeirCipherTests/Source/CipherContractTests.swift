// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirCipher

@Suite("A decrypted source keeps the contract of byte sources")
struct CipherContractTests {
    private static let scenes = CipherScene.all.filter { $0.allows(3) && $0.allows(200_003) }

    @Test("over an origin", arguments: scenes, ByteSourceContract.clauses)
    func contract(_ scene: CipherScene, _ clause: ByteSourceContract.Clause) async throws {
        let contract = ByteSourceContract(
            abilities: [.unknownLength, .replacement],
            readAhead: 2 * 65_552
        ) { resource in
            let origin = ScriptedSource(try Self.stored(resource, scene))
            let source = CipherSource(
                origin,
                decryption: try scene.decryption,
                for: KeyRequest(resource: "it")
            )
            var subject = ContractSubject(source)
            subject.replace = { origin.replace(with: try Self.stored($0, scene)) }
            return subject
        }
        try await clause.check(contract)
    }

    @Test(
        "over an origin that stops, is replaced and counts its bytes",
        arguments: ByteSourceContract.clauses
    )
    func counted(_ clause: ByteSourceContract.Clause) async throws {
        let scene = CipherScene.all[0]
        let contract = ByteSourceContract(abilities: .all, readAhead: 16_384) { resource in
            let origin = ScriptedSource(try Self.stored(resource, scene))
            // In CTR, every stored byte has the offset of its plain byte.
            if let hold = resource.hold { origin.hold(before: hold.offset, until: hold.gate) }
            let source = CipherSource(
                origin,
                decryption: try scene.decryption,
                for: KeyRequest(resource: "it")
            )
            var subject = ContractSubject(source, over: origin)
            subject.replace = { origin.replace(with: try Self.stored($0, scene)) }
            return subject
        }
        try await clause.check(contract)
    }

    @Test("over bytes on disk", arguments: scenes, ByteSourceContract.clauses)
    func resident(_ scene: CipherScene, _ clause: ByteSourceContract.Clause) async throws {
        let contract = ByteSourceContract { resource in
            let plain = resource.bytes(in: 0..<resource.length)
            let base = ResidentSource(ScriptedResource(bytes: try scene.stored(plain)))
            let source = CipherSource(
                base,
                decryption: try scene.decryption,
                for: KeyRequest(resource: "it")
            )
            _ = try await source.describe()
            return ContractSubject(source)
        }
        try await clause.check(contract)
    }

    private static func stored(
        _ resource: ContractResource,
        _ scene: CipherScene
    ) throws -> ScriptedResource {
        let plain = resource.bytes(in: 0..<resource.length)
        var stored = ScriptedResource(bytes: try scene.stored(plain))
        stored.isLengthKnown = resource.isLengthKnown
        stored.provesEnd = resource.provesEnd
        stored.validator = .entityTag("\"\(resource.seed)-\(resource.length)\"")
        return stored
    }
}
