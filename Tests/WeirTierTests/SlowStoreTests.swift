// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirSource
import WeirTestKit

@testable import WeirTier

@Suite("A slow store is not slower than no store", .timeLimit(.minutes(1)))
struct SlowStoreTests {
    private static let whole = PatternBytes.bytes(in: 0..<10_500)

    /// A source of a machine that has measured its origin; the origin responds at once.
    private static func source(_ scene: TierScene, _ tier: Tier) async throws -> TieredSource {
        tier.note(TierScene.resource) { $0.answered(after: .zero) }
        return scene.source(tier)
    }

    /// The time after which a store counts as late when the origin responds at once.
    private static let lateness = OriginPace.shortestDelay

    /// Waits until the clock has exactly these sleepers.
    private static func wait(for sleeps: [Duration], in scene: TierScene) async {
        while scene.clock.remainingSleeps != sleeps, !Task.isCancelled { await Task.yield() }
    }

    private static func hedged(_ scene: TierScene) -> Int64 {
        scene.events.value.reduce(0) { sum, event in
            if case .hedged(let byteCount) = event { sum + Int64(byteCount) } else { sum }
        }
    }

    private static func pauses(_ scene: TierScene) -> [Duration] {
        scene.events.value.compactMap { event in
            if case .paused(let time) = event { time } else { nil }
        }
    }

    // MARK: The first byte

    @Test(
        "a store that hangs only with extents costs a reader the time after which it counts as late"
    )
    func hangingExtents() async throws {
        let scene = TierScene()
        try await scene.fill()
        scene.store.state.update { $0.hangsWithExtents = true }
        let tier = scene.tier()
        let source = try await Self.source(scene, tier)
        async let reading = source.read(.whole)
        await Self.wait(for: [Self.lateness, Tier.extentPatience], in: scene)
        scene.clock.advance(by: .milliseconds(250))
        #expect(try await TierScene.bytes(reading) == Self.whole)
        #expect(scene.origin.log.byteCount == 10_500 && scene.origin.log.repeatedByteCount == 0)
        // The origin was faster for three extents; after that the store gets no requests for a
        // while.
        #expect(Self.pauses(scene) == [.seconds(1)])
        #expect(Self.hedged(scene) <= 4000)
        #expect(try await TierScene.bytes(source.read(.whole)) == Self.whole)
        #expect(scene.clock.now.offset == .milliseconds(250))
    }

    @Test("a store that hangs with every request costs a reader the same time")
    func hanging() async throws {
        let scene = TierScene()
        try await scene.fill()
        scene.store.state.update { $0.mood = .hangs }
        let tier = scene.tier()
        let source = try await Self.source(scene, tier)
        async let bytes = TierScene.bytes(source.read(.whole))
        await Self.wait(for: [Self.lateness, Self.lateness, Tier.patience], in: scene)
        scene.clock.advance(by: .milliseconds(250))
        #expect(try await bytes == Self.whole)
        #expect(scene.clock.now.offset == .milliseconds(250))
        #expect(scene.origin.log.demands.count == 1)
    }

    @Test("a description comes from the origin if the store hangs")
    func description() async throws {
        let scene = TierScene()
        try await scene.fill()
        scene.store.state.update { $0.mood = .hangs }
        let source = try await Self.source(scene, scene.tier())
        async let description = source.describe()
        await Self.wait(for: [Self.lateness, Self.lateness, Tier.patience], in: scene)
        scene.clock.advance(by: .milliseconds(250))
        #expect(try await description == scene.origin.resource.resourceDescription)
    }

    @Test("the first answer is read: the store's extent, if it comes before the origin's answer")
    func storeFirst() async throws {
        let scene = TierScene()
        try await scene.fill()
        scene.store.state.update { $0.extentDelays = [.milliseconds(400)] }
        let gate = scene.origin.holdAnswers()
        let source = try await Self.source(scene, scene.tier())
        async let bytes = TierScene.bytes(source.read(.span(0..<1000)))
        await Self.wait(for: [Self.lateness, .milliseconds(400), Tier.extentPatience], in: scene)
        scene.clock.advance(by: .milliseconds(250))
        try await scene.origin.waitForReads(1)
        scene.clock.advance(by: .milliseconds(150))
        #expect(try await bytes == PatternBytes.bytes(in: 0..<1000))
        #expect(scene.origin.log.byteCount == 0)
        gate.open()
    }

    @Test("the store's extent is read even in the middle of the origin's body")
    func inTheMiddle() async throws {
        let world = VirtualTime()
        try await world.run {
            let scene = TierScene(chunkSize: 100, in: world)
            try await scene.fill()
            scene.store.state.update { $0.extentDelays = [.milliseconds(400)] }
            let source = try await Self.source(scene, scene.tier())
            let iterator = try await source.read(.span(0..<2000)).makeAsyncIterator()
            #expect(world.clock.now.offset == Self.lateness)
            var ranges = [try #require(await iterator.next()).range]
            // Virtual time advances when every task waits: 151 ms later the extent has arrived.
            try await world.clock.sleep(for: .milliseconds(151))
            while let chunk = try await iterator.next() { ranges.append(chunk.range) }
            #expect(ranges == [0..<100, 100..<1000, 1000..<2000])
            #expect(scene.origin.log.byteCount == 100)
        }
    }

    @Test("the reader waits for the store while the origin is unreachable")
    func originAway() async throws {
        let world = VirtualTime()
        try await world.run {
            let scene = TierScene(in: world)
            try await scene.fill()
            scene.origin.refuse(with: SourceError(.unreachable, "Gone."), times: nil)
            scene.store.state.update { $0.extentDelays = [.seconds(9)] }
            let source = try await Self.source(scene, scene.tier())
            let bytes = try await TierScene.bytes(source.read(.span(0..<1000)))
            #expect(bytes == PatternBytes.bytes(in: 0..<1000))
            #expect(world.clock.now.offset == .seconds(9))
            #expect(scene.origin.log.demands.count == 1 && scene.origin.log.byteCount == 0)
        }
    }

    // MARK: Additional bytes from the origin

    @Test(
        "whatever the store does, bytes are right, and the origin gives a tenth more at most",
        arguments: 0..<40
    )
    func property(seed: UInt64) async throws {
        let world = VirtualTime(seed: seed)
        try await world.run {
            var random = SeededGenerator(seed: seed)
            let length = Int64.random(in: 1..<60_000, using: &random)
            let chunkSize = 50
            let scene = TierScene(ScriptedResource(length: length), chunkSize: chunkSize, in: world)
            let last = TierScene.layout.number(of: length - 1)
            try await scene.fill(
                (0...last).filter { _ in Int.random(in: 0..<8, using: &random) > 0 }
            )
            let delays = Self.delays(&random)
            scene.store.state.update { $0.extentDelays = delays }
            let source = try await Self.source(scene, scene.tier())
            var (read, fromStore) = (Int64(0), Int64(0))
            for _ in 0..<24 {
                // A store that was paused gets requests again in the end.
                try await world.clock.sleep(
                    for: .milliseconds(Int.random(in: 0..<8000, using: &random))
                )
                let lower = Int64.random(in: 0..<length, using: &random)
                let range = lower..<Int64.random(in: lower + 1...length, using: &random)
                var bytes: [UInt8] = []
                for try await chunk in try await source.read(.span(range)) {
                    bytes += try chunk.bytes()
                    // The origin's chunks are never longer, so a longer chunk comes from the store.
                    if chunk.count > chunkSize { fromStore += Int64(chunk.count) }
                    // The reader waits, so that the store's extent may arrive.
                    if Int.random(in: 0..<20, using: &random) == 0 {
                        try await world.clock.sleep(for: .milliseconds(200))
                    }
                }
                #expect(bytes == PatternBytes.bytes(in: range), "seed \(seed): \(range)")
                read += Int64(range.count)
            }
            let given = scene.events.value.reduce(Int64(0)) { sum, event in
                if case .read(let byteCount) = event { sum + Int64(byteCount) } else { sum }
            }
            let most = Tier.mostHedged * TierScene.layout.size + given / HedgeMachine.share
            #expect(Self.hedged(scene) <= most, "seed \(seed)")
            // All bytes from the origin were used.
            #expect(scene.origin.log.byteCount <= read - fromStore, "seed \(seed)")
        }
    }

    /// The store's delay for each extent: none, a while, or forever.
    ///
    /// A random slowness sets the share of delayed extents.
    private static func delays(_ random: inout SeededGenerator) -> [Duration?] {
        let slowness = Int.random(in: 1..<10, using: &random)
        return (0..<500).map { _ in
            switch Int.random(in: 0..<10, using: &random) {
            case slowness...: .zero
            case 0: nil
            case 1: .milliseconds(Int.random(in: 0..<9000, using: &random))
            default: .milliseconds(Int.random(in: 0..<600, using: &random))
            }
        }
    }

    @Test("of a store in time only the store is asked")
    func inTime() async throws {
        let scene = TierScene()
        try await scene.fill()
        scene.store.state.update {
            $0.extentDelays = Array(repeating: .milliseconds(240), count: 11)
        }
        let source = try await Self.source(scene, scene.tier())
        async let bytes = TierScene.bytes(source.read(.span(0..<1000)))
        await Self.wait(for: [.milliseconds(240), Self.lateness, Tier.extentPatience], in: scene)
        scene.clock.advance(by: .milliseconds(240))
        #expect(try await bytes.count == 1000)
        #expect(scene.origin.log.demands.isEmpty && Self.hedged(scene) == 0)
    }

    // MARK: Pauses

    @Test("a store that asks for a pause gets it, for the time that it names")
    func retryAfter() async throws {
        let scene = TierScene()
        try await scene.fill()
        scene.store.state.update { $0.mood = .refuses(.seconds(120)) }
        let tier = scene.tier()
        let source = try await Self.source(scene, tier)
        for _ in 0..<3 { #expect(try await TierScene.bytes(source.read(.whole)) == Self.whole) }
        #expect(scene.store.state.value.log.count == 1)
        #expect(Self.pauses(scene) == [.seconds(120)])
        scene.store.state.update { $0.mood = .answers }
        scene.clock.advance(by: .seconds(119))
        #expect(try await TierScene.bytes(source.read(.whole)) == Self.whole)
        // No probe is running, and none has reached the store.
        #expect(!tier.state.withLock { $0.isProbing })
        #expect(scene.store.state.value.log.count == 1)
        scene.clock.advance(by: .seconds(1))
        #expect(try await TierScene.bytes(source.read(.whole)) == Self.whole)
        let extent = try scene.key(0)
        try await scene.store.state.wait { $0.log.contains("get \(extent)") }
    }

    @Test(
        "a writer's requests do not count for readers, and a probe that hangs makes the pause longer"
    )
    func probe() async throws {
        let scene = TierScene()
        try await scene.fill()
        scene.store.state.update { $0.hangsWithExtents = true }
        let tier = scene.tier()
        let source = try await Self.source(scene, tier)
        async let bytes = TierScene.bytes(source.read(.whole))
        await Self.wait(for: [Self.lateness, Tier.extentPatience], in: scene)
        scene.clock.advance(by: .milliseconds(250))
        #expect(try await bytes == Self.whole)
        let generation = try scene.generation()
        #expect(try await tier.write([1], as: 99, of: generation))
        #expect(tier.isLeftAlone)
        scene.clock.advance(by: .seconds(1))
        #expect(try await TierScene.bytes(source.read(.whole)) == Self.whole)
        let limit = tier.pace(of: TierScene.resource).time(for: 1000)
        await Self.wait(for: [limit, Tier.extentPatience], in: scene)
        scene.clock.advance(by: limit)
        try await scene.events.wait { $0.contains(.paused(for: .seconds(2))) }
        scene.store.state.update { $0.hangsWithExtents = false }
        scene.clock.advance(by: .seconds(2))
        while tier.isLeftAlone, !Task.isCancelled {
            #expect(try await TierScene.bytes(source.read(.whole)) == Self.whole)
            await Task.yield()
        }
        let count = scene.origin.log.byteCount
        #expect(try await TierScene.bytes(source.read(.whole)) == Self.whole)
        #expect(scene.origin.log.byteCount == count)
    }
}
