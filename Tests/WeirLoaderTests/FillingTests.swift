// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirSource
import WeirTestKit

@testable import WeirLoader

@Suite("A resource that is fetched whole in the background", .timeLimit(.minutes(1)))
struct FillingTests {
    // MARK: The plan

    @Test(
        "the background has the connection while no reader lacks a byte, and then fetches the rest"
    )
    func readersLead() {
        var plan = PlanScene()
        plan.cached(0..<100, length: 1000)
        #expect(plan.reader(1, .whole, isBackground: true) == ["open f1 100..."])
        #expect(plan.opened(1, at: 100, length: 1000).isEmpty)
        // No read-ahead limit stops the background.
        #expect(plan.arrived(1, upTo: 400).isEmpty)
        #expect(plan.reader(2, .from(700)) == ["open f2 700...", "close f1"])
        #expect(plan.opened(2, at: 700, length: 1000).isEmpty)
        // The reader has its read-ahead: its fetch goes on for the background.
        #expect(plan.arrived(2, upTo: 850).isEmpty)
        #expect(plan.arrived(2, upTo: 1000).isEmpty)
        #expect(plan.finished(2) == ["open f3 400..<700"])
        #expect(plan.readerLeaves(2).isEmpty)
        #expect(plan.readerLeaves(1) == ["linger f3"])
    }

    @Test("a reader of a cold resource shares the request of the background")
    func cold() {
        var plan = PlanScene()
        #expect(plan.reader(1, .whole, isBackground: true) == ["open f1 0..."])
        #expect(plan.reader(2, .whole).isEmpty)
        #expect(plan.opened(1, length: 1000).isEmpty)
        #expect(plan.arrived(1, upTo: 900).isEmpty)
    }

    // MARK: The source

    @Test("only holes are fetched, each once, and no held byte again")
    func holes() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 1 << 20))
        for range in [0..<1000 as Range<Int64>, 300_000..<400_000, 800_000..<900_000] {
            for try await _ in try await scene.source.read(.span(range)) {}
        }
        let before = scene.origin.log.byteCount
        try await scene.source.fill(storesForbidden: false) { #expect($0.length == 1 << 20) }
        #expect(scene.source.availability.isComplete)
        #expect(scene.origin.log.repeatedByteCount == 0)
        #expect(scene.origin.log.byteCount == 1 << 20)
        #expect(before < 1 << 20)
        let count = scene.origin.log.demands.count
        try await scene.source.fill(storesForbidden: false) { _ in }
        #expect(scene.origin.log.demands.count == count)
    }

    @Test("an error of the origin is thrown, and the next call continues behind the received bytes")
    func failure() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 1 << 20))
        scene.origin.fail(at: 500_000, with: SourceError(.unreachable, "Gone."))
        let error = await #expect(throws: SourceError.self) {
            try await scene.source.fill(storesForbidden: false) { _ in }
        }
        #expect(error?.code == .unreachable)
        try await scene.source.fill(storesForbidden: false) { _ in }
        #expect(scene.origin.log.repeatedByteCount == 0)
        #expect(scene.source.availability.isComplete)
    }

    @Test("a changed version is an error, and the next call fetches only the new version")
    func change() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 1 << 20))
        for try await _ in try await scene.source.read(.span(0..<300_000)) {}
        scene.origin.replace(with: ScriptedResource(length: 900_000, seed: 2))
        let error = await #expect(throws: SourceError.self) {
            try await scene.source.fill(storesForbidden: false) { _ in }
        }
        #expect(error?.code == .changed)
        try await scene.source.fill(storesForbidden: false) { #expect($0.length == 900_000) }
        var bytes: [UInt8] = []
        for try await chunk in try await scene.source.read(.whole) { bytes += try chunk.bytes() }
        #expect(bytes == PatternBytes.bytes(in: 0..<900_000, seed: 2))
    }

    @Test("a resource that must not be stored is not, unless the caller asks for it")
    func forbidden() async throws {
        var resource = ScriptedResource(length: 100_000)
        resource.cacheDirectives = CacheDirectives(forbidsStoring: true, freshness: nil)
        let scene = try LoaderScene(resource)
        let error = await #expect(throws: SourceError.self) {
            try await scene.source.fill(storesForbidden: false) { _ in }
        }
        #expect(error?.code == .forbidden)
        #expect(!scene.source.availability.isComplete)
        try await scene.source.fill(storesForbidden: true) { _ in }
        #expect(scene.source.availability.isComplete)
    }

    @Test("an end without a proof fails the download")
    func unproven() async throws {
        var resource = ScriptedResource(length: 100_000)
        resource.isLengthKnown = false
        resource.provesEnd = false
        let scene = try LoaderScene(resource)
        let error = await #expect(throws: SourceError.self) {
            try await scene.source.fill(storesForbidden: false) { _ in }
        }
        #expect(error?.code == .badAnswer)
    }

    @Test("a call that is cancelled returns, and stops the origin")
    func cancelled() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 1 << 20))
        let gate = scene.origin.hold(before: 100_000)
        let task = Task { try await scene.source.fill(storesForbidden: false) { _ in } }
        try await gate.waitForWaiters(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        await scene.clock.waitForSleepers(1)
        scene.clock.advance(by: .seconds(1))
        try await scene.origin.waitForDepartures(1)
    }
}
