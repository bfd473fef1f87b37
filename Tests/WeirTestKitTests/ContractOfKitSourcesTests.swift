// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("The sources of the kit keep the contract", .timeLimit(.minutes(2)))
struct ContractOfKitSourcesTests {
    @Test("MemorySource", arguments: ByteSourceContract.clauses)
    func memory(_ clause: ByteSourceContract.Clause) async throws {
        let contract = ByteSourceContract(abilities: .unknownLength) { resource in
            ContractSubject(
                MemorySource(
                    bytes: resource.bytes(in: 0..<resource.length),
                    validator: .revision("\(resource.seed)"),
                    isLengthKnown: resource.isLengthKnown,
                    chunkSize: 10_007
                )
            )
        }
        try await clause.check(contract)
    }

    @Test("ScriptedSource", arguments: ByteSourceContract.clauses, [1_000, 65_536])
    func scripted(_ clause: ByteSourceContract.Clause, chunkSize: Int) async throws {
        let contract = ByteSourceContract(abilities: .all) { resource in
            let origin = resource.makeOrigin(chunkSize: chunkSize)
            return ContractSubject(origin, over: origin)
        }
        #expect(try await clause.check(contract) == .kept)
    }

    @Test("ResidentSource", arguments: ByteSourceContract.clauses, [0, 100_000, 200_003])
    func resident(_ clause: ByteSourceContract.Clause, heldCount: Int64) async throws {
        let contract = ByteSourceContract { resource in
            let held = RangeSet((0..<heldCount).clamped(to: 0..<resource.length))
            return ContractSubject(
                ResidentSource(resource.scripted, held: held, chunkSize: 30_000)
            )
        }
        try await clause.check(contract)
    }

    @Test("clauses that need more abilities than a subject has are skipped")
    func abilities() async throws {
        let contract = ByteSourceContract { _ in ContractSubject(MemorySource(bytes: [])) }
        let needy = ByteSourceContract.clauses.filter { !$0.needs.isEmpty }
        #expect(needy.count >= 6)
        for clause in needy {
            #expect(try await clause.check(contract) == .notApplicable)
        }
    }

    @Test("the end of every subject is called once, whether the clause is kept or broken")
    func ends() async throws {
        let begun = Watched(0)
        let ended = Watched(0)
        let contract = ByteSourceContract { _ in
            begun.update { $0 += 1 }
            var subject = ContractSubject(MemorySource(bytes: []))
            subject.end = { ended.update { $0 += 1 } }
            return subject
        }
        var broken = 0
        for clause in ByteSourceContract.clauses {
            do { try await clause.check(contract) } catch { broken += 1 }
        }
        #expect(broken > 0)
        #expect(begun.value > 0)
        #expect(ended.value == begun.value)
    }
}
