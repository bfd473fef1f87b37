// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSharing
import WeirSource
import WeirTestKit

@testable import Weir

@Suite("A resource that is read in place")
struct DirectSourceTests {
    private func isClosed(_ operation: () async throws -> Void) async -> Bool {
        do {
            try await operation()
            return false
        } catch { return (error as? SourceError)?.code == .closed }
    }

    @Test("gives its base unchanged until it is closed")
    func isItself() async throws {
        let base = ScriptedSource(length: 50_000)
        let source = DirectSource(base)
        var bytes: [UInt8] = []
        for try await chunk in try await source.read(.init(.whole)) { bytes += try chunk.bytes() }
        let isEqual = bytes == PatternBytes.bytes(in: 0..<50_000)
        #expect(isEqual)
        let version = try await source.describe().version
        #expect(try await source.isUnchanged(version))
    }

    @Test("ends its readers when it is closed, also waiting ones, and accepts no new ones")
    func closes() async throws {
        let base = ScriptedSource(length: 50_000)
        let gate = base.hold(before: 16_384)
        let source = DirectSource(base)
        let waiting = try await source.read(.init(.whole)).makeAsyncIterator()
        _ = try await waiting.next()
        let next = Task { try await waiting.next() }
        let idle = try await source.read(.init(.whole)).makeAsyncIterator()
        while gate.waiterCount == 0 { await Task.yield() }
        let version = base.resource.resourceDescription.version
        source.close(throwing: SharedSource.closedError)
        source.close(throwing: SharedSource.closedError)
        // This origin does not notice that its reader has gone; it ends as if it had sent all bytes.
        gate.open()
        #expect(await self.isClosed { _ = try await next.value })
        #expect(await self.isClosed { _ = try await idle.next() })
        #expect(await self.isClosed { _ = try await source.read(.init(.whole)) })
        #expect(await self.isClosed { _ = try await source.describe() })
        #expect(await self.isClosed { _ = try await source.isUnchanged(version) })
        #expect(source.residentSlice(.whole) == nil)
    }

    @Test("ends a reader that begins during the close")
    func closesBeginner() async throws {
        let base = ScriptedSource(length: 50_000)
        let gate = base.holdAnswers()
        let source = DirectSource(base)
        let reader = Task {
            try await source.read(.init(.whole)).makeAsyncIterator().next()
        }
        try await base.waitForReads(1)
        source.close(throwing: SharedSource.closedError)
        gate.open()
        #expect(await self.isClosed { _ = try await reader.value })
    }

    @Test("lets a reader leave at any time")
    func letsLeave() async throws {
        let source = DirectSource(ScriptedSource(length: 50_000))
        let iterator = try await source.read(.init(.whole)).makeAsyncIterator()
        iterator.cancel()
        // The origin decides how a cancelled reader ends; this origin's reader just ends.
        let isOver = try await iterator.next() == nil
        #expect(isOver)
    }
}

@Suite("Sources around another source keep its contract")
struct DecoratorContractTests {
    @Test("a source that is read in place", arguments: ByteSourceContract.clauses)
    func direct(_ clause: ByteSourceContract.Clause) async throws {
        let contract = ByteSourceContract(abilities: .all) { resource in
            let origin = resource.makeOrigin()
            return ContractSubject(DirectSource(origin), over: origin)
        }
        #expect(try await clause.check(contract) == .kept)
    }

    @Test("an origin that reports its transfers", arguments: ByteSourceContract.clauses)
    func reporting(_ clause: ByteSourceContract.Clause) async throws {
        let contract = ByteSourceContract(abilities: .all) { resource in
            let origin = resource.makeOrigin()
            return ContractSubject(ReportingSource(origin) { _ in }, over: origin)
        }
        #expect(try await clause.check(contract) == .kept)
    }
}
