// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirSharing

@Suite("A source shared by two processes keeps the contract of byte sources")
struct SharedSourceContractTests {
    /// The loader's read-ahead, and the bytes in two sockets and in a piece at each end.
    private static let readAhead: Int64 = (64 + 16 + 64) << 10 + 4 << 18

    @Test("through the owner of the directory", arguments: ByteSourceContract.clauses)
    func user(_ clause: ByteSourceContract.Clause) async throws {
        try await clause.check(
            ByteSourceContract(abilities: .all.subtracting(.unprovenEnd), readAhead: Self.readAhead)
            { resource in
                try await Self.scene(resource).subject
            }
        )
    }

    @Test(
        "at the owner, with an origin that another process lends",
        arguments: ByteSourceContract.clauses
    )
    func lender(_ clause: ByteSourceContract.Clause) async throws {
        try await clause.check(
            ByteSourceContract(abilities: .all.subtracting(.unprovenEnd), readAhead: Self.readAhead)
            { resource in
                let scene = try await Self.scene(resource)
                // The owner's own origin is older than the lent one, so that it gets no request.
                let refusing = ScriptedSource(length: 1)
                refusing.refuse(with: SourceError(.forbidden, "must not be asked"), times: nil)
                let source = SharingScene.source(refusing, scene.owner)
                _ = source.availability
                try await scene.lend()
                return scene.subject(source)
            }
        )
    }

    @Test("without a validator", arguments: ByteSourceContract.clauses)
    func withoutValidator(_ clause: ByteSourceContract.Clause) async throws {
        try await clause.check(
            ByteSourceContract(abilities: [.holding, .unknownLength]) { resource in
                try await Self.scene(resource) { $0.validator = nil }.subject
            }
        )
    }

    @Test("without a cache", arguments: ByteSourceContract.clauses)
    func passing(_ clause: ByteSourceContract.Clause) async throws {
        try await clause.check(
            ByteSourceContract(abilities: .all, readAhead: Self.readAhead) { resource in
                let scene = try await Self.scene(resource)
                scene.user.report(.ownerSilent(1))
                return scene.subject
            }
        )
    }

    private static func scene(
        _ resource: ContractResource,
        _ change: (inout ScriptedResource) -> Void = { _ in }
    ) async throws -> SharingScene {
        var scripted = resource.scripted
        change(&scripted)
        let scene = try await SharingScene(scripted)
        if let hold = resource.hold { scene.origin.hold(before: hold.offset, until: hold.gate) }
        return scene
    }
}
