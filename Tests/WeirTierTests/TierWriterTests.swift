// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirSource
import WeirTestKit

@testable import WeirTier

@Suite("A writer sends durable bytes of a cache to the store", .timeLimit(.minutes(1)))
struct TierWriterTests {
    /// Runs a body with a writer and a cached generation of the origin's current version.
    private static func run(
        _ scene: TierScene,
        pause: @escaping @Sendable (Duration) async throws -> Void = { _ in },
        _ body: (TierWriter, Generation) async throws -> Void
    ) async throws {
        let folder = TemporaryDirectory()
        let cache = try Cache(directory: folder.path)
        let tier = scene.tier()
        tier.confirmed(TierScene.resource, scene.origin.resource.resourceDescription)
        let writer = TierWriter(tier, pause: pause)
        let generation = try cache.create(
            #require(ResourceKey(identifier: TierScene.resource, account: "", display: "a")),
            description: scene.origin.resource.resourceDescription,
            persistent: true
        )
        do {
            try await body(writer, generation)
        } catch {
            writer.close()
            generation.release()
            cache.close()
            throw error
        }
        writer.close()
        generation.release()
        cache.close()
    }

    private static func write(_ range: Range<Int64>, to generation: Generation) throws {
        try generation.write(ByteMemory(PatternBytes.bytes(in: range)), at: range.lowerBound)
    }

    @Test("whole extents, once, and a descriptor behind them")
    func whole() async throws {
        let scene = TierScene()
        try await Self.run(scene) { writer, generation in
            try Self.write(500..<3500, to: generation)
            writer.saved(generation)
            await writer.drain()
            #expect(scene.store.extents.isEmpty)
            try await generation.checkpoint()
            writer.saved(generation)
            await writer.drain()
            #expect(scene.store.extents == [try scene.key(1), try scene.key(2)])
            try Self.write(0..<10_500, to: generation)
            try await generation.checkpoint()
            writer.saved(generation)
            writer.saved(generation)
            await writer.drain()
        }
        #expect(scene.store.extents == (try (0...10).map(scene.key)))
        let puts = scene.store.state.value.log.filter {
            $0.hasPrefix("put") && !$0.hasSuffix("descriptor")
        }
        #expect(puts.count == 11)
        // Another machine reads the resource without the origin.
        #expect(
            try await TierScene.bytes(scene.source().read(.whole))
                == PatternBytes.bytes(in: 0..<10_500)
        )
        #expect(scene.origin.log.demands.isEmpty)
    }

    @Test("a descriptor again, if the store refused it, even if it is the only one")
    func refusedDescriptor() async throws {
        let scene = TierScene(ScriptedResource(length: 900))
        scene.store.state.update { $0.refusedDescriptors = 2 }
        try await Self.run(scene) { writer, generation in
            try Self.write(0..<900, to: generation)
            try await generation.checkpoint()
            writer.saved(generation)
            await writer.drain()
        }
        #expect(scene.store.state.value.objects.count == 2)
        let puts = scene.store.state.value.log.filter { $0.hasPrefix("put") }
        #expect(puts.filter { !$0.hasSuffix("descriptor") }.count == 1)
        #expect(puts.count == 4)
    }

    @Test(
        "extents that the store has dropped, and their descriptor, when the bytes were fetched again"
    )
    func expired() async throws {
        let scene = TierScene()
        try await Self.run(scene) { writer, generation in
            try Self.write(0..<10_500, to: generation)
            try await generation.checkpoint()
            writer.saved(generation)
            await writer.drain()
            let all = Set(scene.store.state.value.objects.keys)
            #expect(all.count == 12)
            scene.store.state.update { $0.objects = [:] }
            scene.clock.advance(by: .seconds(6))
            _ = try await TierScene.bytes(scene.source(writer.tier).read(.whole))
            writer.saved(generation)
            await writer.drain()
            #expect(Set(scene.store.state.value.objects.keys) == all)
            // The same if only some objects are lost.
            let first = try scene.key(0)
            scene.store.state.update { $0.objects[first] = nil }
            scene.clock.advance(by: .seconds(6))
            _ = try await TierScene.bytes(scene.source(writer.tier).read(.whole))
            writer.saved(generation)
            await writer.drain()
            #expect(Set(scene.store.state.value.objects.keys) == all)
        }
    }

    @Test("no bytes that another machine has written")
    func there() async throws {
        let scene = TierScene()
        try await scene.fill([0, 1, 2])
        try await Self.run(scene) { writer, generation in
            try Self.write(0..<4000, to: generation)
            try await generation.checkpoint()
            writer.saved(generation)
            await writer.drain()
        }
        let puts = scene.store.state.value.log.filter {
            $0.hasPrefix("put") && !$0.hasSuffix("descriptor")
        }
        #expect(puts == ["put \(try scene.key(3))"])
    }

    @Test("nothing that must not be stored, and nothing without a version")
    func never() async throws {
        for change in [
            { (resource: inout ScriptedResource) in resource.validator = nil },
            { $0.cacheDirectives = CacheDirectives(forbidsStoring: true) },
        ] {
            var resource = ScriptedResource(length: 3000)
            change(&resource)
            let scene = TierScene(resource)
            try await Self.run(scene) { writer, generation in
                try Self.write(0..<3000, to: generation)
                try await generation.checkpoint()
                writer.saved(generation)
                await writer.drain()
            }
            #expect(scene.store.state.value.log.isEmpty)
        }
    }

    @Test("refused objects again, after longer and longer pauses, until it gives up")
    func failing() async throws {
        for failures in [1, 5, 100] {
            let scene = TierScene()
            scene.store.state.update { $0.mood = .fails }
            let pauses = Watched<[Duration]>([])
            let pause: @Sendable (Duration) async throws -> Void = { time in
                let count = pauses.update { pauses in
                    pauses.append(time)
                    return pauses.count
                }
                // No request to the store is running.
                scene.clock.advance(by: time)
                if count == failures { scene.store.state.update { $0.mood = .answers } }
            }
            try await Self.run(scene, pause: pause) { writer, generation in
                try Self.write(0..<1000, to: generation)
                try await generation.checkpoint()
                writer.saved(generation)
                await writer.drain()
            }
            let waits = [1, 2, 4, 8, 16, 20, 20, 20].map { Duration.seconds($0) }
            #expect(pauses.value == Array(waits.prefix(failures)))
            #expect(scene.store.extents == (failures < 8 ? [try scene.key(0)] : []))
        }
    }

    @Test("no more than the queue holds, and it reports each dropped object")
    func bounded() async throws {
        let scene = TierScene(ScriptedResource(length: 100_000))
        scene.store.state.update { $0.mood = .hangs }
        try await Self.run(scene) { writer, generation in
            try Self.write(0..<100_000, to: generation)
            try await generation.checkpoint()
            writer.saved(generation)
            #expect(scene.events.value.filter { $0 == .dropped }.count == 36)
        }
    }
}
