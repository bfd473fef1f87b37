// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import Weir

@Suite("The events of an origin")
struct ReportingSourceTests {
    private let lines = Watched<[String]>([])

    /// An event as a line; progress events depend on the time and are left out.
    private static func line(_ event: MediaEvent) -> String? {
        switch event {
        case .transferStarted(let transfer):
            "started \(transfer.number) \(transfer.lowerBound)..<\(transfer.upperBound ?? -1)"
        case .transferProgressed: nil
        case .transferFinished(let transfer):
            "finished \(transfer.number) \(transfer.receivedByteCount)"
        case .transferFailed(let transfer, let error):
            "failed \(transfer.map { "\($0.number) \($0.receivedByteCount)" } ?? "-") \(error.code)"
        case .transferLeft(let transfer): "left \(transfer.number) \(transfer.receivedByteCount)"
        case .sourceChanged: "changed"
        case .missed(let count): "missed \(count)"
        case .credentialRefreshed, .storingForbidden, .refusedThoughHeld, .keySuspected,
            .cacheDegraded, .cacheRecovered, .downloadsUnreadable:
            "of the library"
        }
    }

    private func source(_ base: ScriptedSource) -> ReportingSource {
        ReportingSource(base) { [lines] event in
            guard let line = Self.line(event) else { return }
            lines.update { $0.append(line) }
        }
    }

    private func drain(_ source: ReportingSource, _ demand: ReadDemand = .init(.whole)) async throws
    {
        for try await _ in try await source.read(demand) {}
    }

    @Test("of a transfer that is read to its end: started, finished")
    func finishes() async throws {
        let source = self.source(ScriptedSource(length: 50_000))
        try await self.drain(source)
        try await self.drain(source, ReadDemand(.span(10..<20)))
        #expect(
            self.lines.value == [
                "started 1 0..<50000", "finished 1 50000", "started 2 10..<20", "finished 2 10",
            ]
        )
    }

    @Test("of a transfer whose reader has all bytes and does not read the end: finished")
    func finishesWithoutEnd() async throws {
        let source = self.source(ScriptedSource(length: 10))
        do {
            let iterator = try await source.read(.init(.whole)).makeAsyncIterator()
            #expect(try await iterator.next()?.count == 10)
        }
        #expect(self.lines.value == ["started 1 0..<10", "finished 1 10"])
    }

    @Test("of a transfer that is left, by cancelling or by dropping: left, once")
    func isLeft() async throws {
        let source = self.source(ScriptedSource(length: 50_000))
        do {
            let iterator = try await source.read(.init(.whole)).makeAsyncIterator()
            _ = try await iterator.next()
            iterator.cancel()
            iterator.cancel()
            _ = try? await iterator.next()
        }
        do { _ = try await source.read(.init(.whole)) }
        #expect(
            self.lines.value == [
                "started 1 0..<50000", "left 1 16384", "started 2 0..<50000", "left 2 0",
            ]
        )
    }

    @Test("of a transfer that breaks off: started, failed with the received bytes")
    func fails() async throws {
        let base = ScriptedSource(length: 50_000)
        base.fail(at: 20_000, with: SourceError(.truncated, "cut"))
        let source = self.source(base)
        await #expect(throws: SourceError.self) { try await self.drain(source) }
        #expect(self.lines.value == ["started 1 0..<50000", "failed 1 20000 truncated"])
    }

    @Test("of a transfer that never starts: failed; of a range past the end: none")
    func neverStarts() async throws {
        let base = ScriptedSource(length: 50)
        let source = self.source(base)
        base.refuse(with: SourceError(.unreachable, "down"))
        await #expect(throws: SourceError.self) { try await self.drain(source) }
        await #expect(throws: SourceError.self) {
            try await self.drain(source, ReadDemand(.from(51)))
        }
        base.refuse(with: CancellationError())
        await #expect(throws: CancellationError.self) { try await self.drain(source) }
        #expect(self.lines.value == ["failed - unreachable"])
    }

    @Test("of a change during the transfer: failed, changed once, and started with the new version")
    func changesWhileRead() async throws {
        let base = ScriptedSource(length: 50_000)
        let source = self.source(base)
        let iterators = [
            try await source.read(.init(.whole)).makeAsyncIterator(),
            try await source.read(.init(.whole)).makeAsyncIterator(),
        ]
        base.replace(with: ScriptedResource(length: 10, seed: 2), running: .fail)
        for iterator in iterators {
            await #expect(throws: SourceError.self) { _ = try await iterator.next() }
        }
        try await self.drain(source)
        #expect(
            self.lines.value == [
                "started 1 0..<50000", "started 2 0..<50000", "failed 1 0 changed", "changed",
                "failed 2 0 changed", "started 3 0..<10", "finished 3 10",
            ]
        )
    }

    @Test("of a change found by a demand or a description: changed, once for each change")
    func changesInBetween() async throws {
        let base = ScriptedSource(length: 50)
        let source = self.source(base)
        let version = try await source.describe().version
        base.replace(with: ScriptedResource(length: 51, seed: 2))
        _ = try await source.describe()
        _ = try await source.describe()
        #expect(self.lines.value == ["changed"])
        base.replace(with: ScriptedResource(length: 52, seed: 3))
        for _ in 0..<2 {
            await #expect(throws: SourceError.self) {
                try await self.drain(source, ReadDemand(.whole, version: version))
            }
        }
        _ = try await source.describe()
        #expect(self.lines.value == ["changed", "changed"])
        base.replace(with: ScriptedResource(length: 53, seed: 4))
        _ = try await source.describe()
        #expect(self.lines.value == ["changed", "changed", "changed"])
    }
}
