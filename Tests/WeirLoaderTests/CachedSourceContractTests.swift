// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@Suite("A cached source keeps the contract of byte sources")
struct CachedSourceContractTests {
    /// 64 KiB of read-ahead, a piece from the origin, and a piece for the reader.
    static let contract = ByteSourceContract(
        abilities: .all.subtracting(.unprovenEnd),
        readAhead: (64 + 16 + 64) << 10
    ) { resource in
        try LoaderScene.subject(resource)
    }

    @Test("cold", arguments: ByteSourceContract.clauses)
    func cold(_ clause: ByteSourceContract.Clause) async throws {
        try await clause.check(Self.contract)
    }

    @Test("in front of an origin that ignores ranges", arguments: ByteSourceContract.clauses)
    func ignoringRanges(_ clause: ByteSourceContract.Clause) async throws {
        try await clause.check(
            ByteSourceContract(abilities: .holding) { resource in
                try LoaderScene.subject(resource) { $0.acceptsRanges = false }
            }
        )
    }

    @Test("without a validator", arguments: ByteSourceContract.clauses)
    func withoutValidator(_ clause: ByteSourceContract.Clause) async throws {
        try await clause.check(
            ByteSourceContract(abilities: [.holding, .unknownLength]) { resource in
                try LoaderScene.subject(resource) { $0.validator = nil }
            }
        )
    }

    @Test("with the whole held and no origin", arguments: ByteSourceContract.clauses)
    func warm(_ clause: ByteSourceContract.Clause) async throws {
        try await clause.check(
            ByteSourceContract { resource in
                let scene = try LoaderScene(resource.scripted)
                for try await _ in try await scene.source.read(.whole) {}
                scene.origin.refuse(with: SourceError(.unreachable, "gone"), times: nil)
                return scene.subject
            }
        )
    }
}
