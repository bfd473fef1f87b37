// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirTier

@Suite("An origin behind a store that a fleet shares", .timeLimit(.minutes(1)))
struct TieredSourceTests {
    // MARK: The contract

    private static func contract(_ fill: @escaping @Sendable (Int64) -> [Int]) -> ByteSourceContract
    {
        ByteSourceContract(abilities: [.originCount, .replacement], readAhead: 16_384 + 3000) {
            resource in
            let scene = TierScene(resource.scripted, chunkSize: 16_384)
            try await scene.fill(fill(resource.scripted.length))
            // The tier has the origin's earlier version; with a freshness of zero the source asks the origin.
            return ContractSubject(scene.source(freshness: .zero), over: scene.origin)
        }
    }

    @Test("keeps the contract with an empty store", arguments: ByteSourceContract.clauses)
    func empty(_ clause: ByteSourceContract.Clause) async throws {
        try await clause.check(Self.contract { _ in [] })
    }

    @Test(
        "keeps the contract with every other extent in the store",
        arguments: ByteSourceContract.clauses
    )
    func gaps(_ clause: ByteSourceContract.Clause) async throws {
        try await clause.check(
            Self.contract { length in
                length == 0
                    ? []
                    : Array(
                        stride(from: 1, through: TierScene.layout.number(of: length - 1), by: 2)
                    )
            }
        )
    }

    @Test("keeps the contract with all extents in the store", arguments: ByteSourceContract.clauses)
    func full(_ clause: ByteSourceContract.Clause) async throws {
        try await clause.check(
            Self.contract { length in
                length == 0 ? [] : Array(0...TierScene.layout.number(of: length - 1))
            }
        )
    }

    // MARK: Where bytes come from

    @Test("stored extents are read without the origin, from any byte on")
    func full() async throws {
        let scene = TierScene()
        try await scene.fill()
        let source = scene.source()
        #expect(try await source.describe() == scene.origin.resource.resourceDescription)
        for range in [Int64(0)..<10_500, 999..<1001, 10_499..<10_500, 5000..<6000] {
            let reading = try await source.read(.span(range))
            #expect(reading.range == range)
            #expect(try await TierScene.bytes(reading) == PatternBytes.bytes(in: range))
        }
        #expect(scene.origin.log.demands.isEmpty && scene.origin.log.descriptionCount == 0)
    }

    @Test("holes are read from the origin, each run once, and no other byte")
    func holes() async throws {
        let scene = TierScene()
        try await scene.fill([1, 2, 5, 10])
        let reading = try await scene.source().read(.whole)
        #expect(try await TierScene.bytes(reading) == PatternBytes.bytes(in: 0..<10_500))
        let version = scene.origin.resource.resourceDescription.version
        #expect(
            scene.origin.log.demands
                == [0..<1000, 3000..<5000, 6000..<10_000].map {
                    ReadDemand(.span($0), version: version)
                }
        )
    }

    @Test("the bytes are right, whatever extents are there, missing or wrong", arguments: 0..<40)
    func model(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let length = Int64.random(in: 1..<20_000, using: &generator)
        let scene = TierScene(ScriptedResource(length: length))
        let last = TierScene.layout.number(of: length - 1)
        let there = (0...last).filter { _ in Bool.random(using: &generator) }
        try await scene.fill(there)
        var sound = Set(there)
        for number in there where Int.random(in: 0..<4, using: &generator) == 0 {
            sound.remove(number)
            let key = try scene.key(number)
            let kind = Int.random(in: 0..<4, using: &generator)
            let other = try scene.key(there.randomElement(using: &generator) ?? number)
            scene.store.state.update { state in
                switch kind {
                case 0: state.objects[key]?[60] ^= 1
                case 1: state.objects[key]?.removeLast()
                case 2: state.objects[key] = state.objects[other].map { other == key ? [] : $0 }
                default:
                    state.objects[key] = nil
                    state.phantoms.append(key)
                }
            }
        }
        scene.store.state.update { $0.pageSize = Int.random(in: 1..<30, using: &generator) }
        let source = scene.source()
        for _ in 0..<10 {
            let lower = Int64.random(in: 0..<length, using: &generator)
            let upper = Int64.random(in: lower + 1...length, using: &generator)
            let reading = try await source.read(.span(lower..<upper))
            #expect(try await TierScene.bytes(reading) == PatternBytes.bytes(in: lower..<upper))
        }
    }

    // MARK: Faulty stores

    @Test("a wrong extent is counted, and written again by a machine that has the bytes")
    func damage() async throws {
        let scene = TierScene()
        try await scene.fill()
        let key = try scene.key(3)
        let whole = scene.store.state.value.objects[key]
        scene.store.state.update { $0.objects[key]?[70] ^= 0x80 }
        let tier = scene.tier()
        let reading = try await scene.source(tier).read(.whole)
        #expect(try await TierScene.bytes(reading) == PatternBytes.bytes(in: 0..<10_500))
        #expect(scene.events.value.contains(.damaged(key: key)))
        #expect(!tier.isThere(3, of: try scene.generation()))
        #expect(tier.isThere(4, of: try scene.generation()))
        let bytes = PatternBytes.bytes(in: 3000..<4000)
        #expect(try await tier.write(bytes, as: 3, of: scene.generation()))
        #expect(scene.store.state.value.objects[key] == whole)
    }

    @Test("an extent of a writer with another secret counts as missing")
    func stranger() async throws {
        let scene = TierScene()
        try await scene.fill()
        let source = scene.source(scene.tier(secret: [1]))
        #expect(
            try await TierScene.bytes(source.read(.whole)) == PatternBytes.bytes(in: 0..<10_500)
        )
        #expect(scene.origin.log.byteCount == 10_500)
    }

    @Test("an extent that fails three times is not requested for a second")
    func failing() async throws {
        let scene = TierScene()
        scene.store.state.update { $0.mood = .fails }
        let source = scene.source()
        for _ in 0..<5 {
            #expect(try await TierScene.bytes(source.read(.span(0..<100))).count == 100)
        }
        #expect(scene.store.state.value.log.count == 3)
        #expect(scene.events.value.last == .paused(for: .seconds(1)))
        scene.store.state.update { $0.mood = .answers }
        scene.clock.advance(by: .seconds(1))
        // The source probes the store while it reads the origin.
        #expect(try await TierScene.bytes(source.read(.span(0..<100))).count == 100)
        try await scene.store.state.wait { $0.log.count == 4 }
    }

    // MARK: Versions

    @Test("old news of the origin's version makes the source ask the origin first")
    func stale() async throws {
        let scene = TierScene()
        try await scene.fill()
        scene.now.update { $0 += 61 }
        #expect(try await TierScene.bytes(scene.source().read(.whole)).count == 10_500)
        #expect(scene.origin.log.descriptionCount == 1)
        #expect(scene.origin.log.byteCount == 0)
    }

    @Test("old extents are given while the origin is unreachable, but not after a refusal")
    func unreachable() async throws {
        let scene = TierScene()
        try await scene.fill()
        scene.now.update { $0 += 3600 }
        scene.origin.refuse(with: SourceError(.unreachable, "Gone."), times: nil)
        #expect(try await TierScene.bytes(scene.source().read(.whole)).count == 10_500)
        scene.origin.clearScript()
        scene.origin.refuse(with: SourceError(.notFound, "No."), times: nil)
        await #expect(throws: SourceError.self) { _ = try await scene.source().read(.whole) }
    }

    @Test(
        "a new version is read from the origin, without a byte of the old one",
        arguments: [false, true]
    )
    func changed(hasHoles: Bool) async throws {
        let scene = TierScene()
        try await scene.fill(hasHoles ? [1, 3] : nil)
        if !hasHoles { scene.now.update { $0 += 61 } }
        scene.origin.replace(with: ScriptedResource(length: 9000, seed: 2))
        let source = scene.source()
        let reading = try await source.read(.whole)
        #expect(try await TierScene.bytes(reading) == PatternBytes.bytes(in: 0..<9000, seed: 2))
        #expect(reading.resource.length == 9000)
    }

    @Test("a reading that has begun with one version ends when the origin has another")
    func changedInTheMiddle() async throws {
        let scene = TierScene()
        try await scene.fill([0, 1])
        let reading = try await scene.source().read(.whole)
        scene.origin.replace(with: ScriptedResource(length: 10_500, seed: 2))
        await #expect(throws: SourceError.self) { _ = try await TierScene.bytes(reading) }
    }

    @Test("a pinned reader gets its version, though the fleet knows another one")
    func pinned() async throws {
        let scene = TierScene()
        let old = scene.origin.resource.resourceDescription.version
        try await scene.fill()
        scene.origin.replace(with: ScriptedResource(length: 10_500, seed: 2))
        try await scene.fill()
        let reading = try await scene.source().read(ReadDemand(.span(0..<3000), version: old))
        #expect(try await TierScene.bytes(reading) == PatternBytes.bytes(in: 0..<3000))
    }

    @Test("a resource without a version is asked of the store only once")
    func nameless() async throws {
        var resource = ScriptedResource(length: 5000)
        resource.validator = nil
        let scene = TierScene(resource)
        let source = scene.source()
        #expect(try await TierScene.bytes(source.read(.whole)).count == 5000)
        #expect(try await TierScene.bytes(source.read(.span(10..<20))).count == 10)
        #expect(scene.store.state.value.log.count == 1)
    }

    // MARK: Readers that leave

    @Test("a reader that leaves stops its read-ahead, and frees the room")
    func leaving() async throws {
        let scene = TierScene()
        try await scene.fill()
        let tier = scene.tier()
        let source = scene.source(tier)
        for _ in 0..<50 {
            let iterator = try await source.read(.whole).makeAsyncIterator()
            _ = try await iterator.next()
            iterator.cancel()
        }
        var count = 0
        while count < 8, !Task.isCancelled {
            if tier.mayReadAhead() { count += 1 } else { await Task.yield() }
        }
        #expect(!tier.mayReadAhead())
    }
}
