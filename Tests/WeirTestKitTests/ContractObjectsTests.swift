// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("The contract's objections to broken sources", .timeLimit(.minutes(2)))
struct ContractObjectsTests {
    @Test("the right clauses object to each fault", arguments: BrokenSource.Fault.allCases)
    func objects(_ fault: BrokenSource.Fault) async throws {
        for name in fault.brokenClauses {
            let clause = try #require(ByteSourceContract.clauses.first { $0.name == name })
            let violation = await Self.violation(of: clause, by: fault)
            #expect(violation?.clause == name, "\(fault) passed “\(name)”")
            #expect(violation?.message.contains("hung") == fault.hangs)
        }
    }

    @Test("every clause objects to some fault")
    func everyClauseCanObject() {
        let objecting = Set(BrokenSource.Fault.allCases.flatMap(\.brokenClauses))
        #expect(objecting == Set(ByteSourceContract.clauses.map(\.name)))
    }

    @Test("a clause does not object to a fault that it is not about")
    func bystanders() async {
        let faults: [BrokenSource.Fault] = [
            .takesSuffixesForStarts, .ignoresVersions, .claimsTooMuch,
        ]
        for fault in faults {
            for clause in ByteSourceContract.clauses
            where !fault.brokenClauses.contains(clause.name) {
                let violation = await Self.violation(of: clause, by: fault)
                #expect(violation == nil, "\(fault)")
            }
        }
    }

    @Test("a violation names the broken clause and the reason")
    func sentences() async throws {
        let clause = try #require(
            ByteSourceContract.clauses.first { $0.name == "yields the start" }
        )
        let violation = try #require(await Self.violation(of: clause, by: .forgetsFirstByte))
        #expect(
            "\(violation)"
                == "The source breaks the clause \"yields the start\": it yielded a wrong byte at 0."
        )
    }

    @Test("a check ends with its task")
    func cancelledCheck() async throws {
        let clause = try #require(ByteSourceContract.clauses.first)
        await withTaskGroup(of: Void.self) { group in
            let isMaking = Gate()
            let contract = ByteSourceContract(clock: ManualClock()) { _ in
                isMaking.open()
                try await Gate().wait()
                return ContractSubject(MemorySource(bytes: []))
            }
            group.addTask {
                await #expect(throws: CancellationError.self) { try await clause.check(contract) }
            }
            try? await isMaking.wait()
            group.cancelAll()
        }
    }

    /// Checks a clause with a stopped clock, and advances it only once the source hangs.
    private static func violation(
        of clause: ByteSourceContract.Clause,
        by fault: BrokenSource.Fault
    ) async -> ContractViolation? {
        let clock = ManualClock()
        let subjects = Watched<[BrokenSource]>([])
        let contract = ByteSourceContract(
            abilities: .all,
            readAhead: 65_536,
            patience: .seconds(1),
            clock: clock
        ) { resource in
            let origin = resource.makeOrigin(chunkSize: 10_000)
            let source = BrokenSource(fault, origin)
            subjects.update { $0.append(source) }
            var subject = ContractSubject(source, over: origin)
            if fault == .readsAhead {
                subject.quiescence = { try await source.hasReadAhead.wait() }
            }
            return subject
        }
        async let outcome: ContractViolation? = {
            do {
                try await clause.check(contract)
                return nil
            } catch {
                return error as? ContractViolation
            }
        }()
        if fault.hangs {
            try? await subjects.wait { !$0.isEmpty }
            for source in subjects.value { try? await source.hangs.wait() }
            await clock.waitForSleepers(1)
            clock.advance(by: .seconds(1))
        }
        let violation = await outcome
        for source in subjects.value { source.rescue.open() }
        return violation
    }
}
