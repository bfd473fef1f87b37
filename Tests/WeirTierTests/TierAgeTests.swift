// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirTier

@Suite("Clocks of other machines", .timeLimit(.minutes(1)))
struct TierAgeTests {
    private static let hour: Int64 = 3600
    private static let year: Int64 = 31_536_000
    /// How far a clock may be off, in seconds.
    private static let offsets = [0, -year, -hour, -2, 2, hour, year]

    /// The descriptor of a machine that heard from the origin `waited` seconds before it wrote.
    private static func descriptor(at time: Int64, waited: Int64 = 0) -> TierDescriptor {
        TierDescriptor(
            ScriptedResource(length: 1).resourceDescription,
            confirmed: time - waited,
            waited: waited
        )
    }

    @Test("make no bytes younger than they are, whatever each clock says", arguments: 0..<40)
    func property(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<500 {
            let offsets = (0..<3).map { _ in
                Self.offsets.randomElement(using: &random).map {
                    $0 + Int64.random(in: -5...5, using: &random)
                } ?? 0
            }
            let (writer, reader, store) = (offsets[0], offsets[1], offsets[2])
            let written = Int64.random(in: 1_000_000_000..<2_000_000_000, using: &random)
            let waited = Int64.random(in: 0..<100, using: &random)
            let passed = Int64.random(in: 0..<1000, using: &random)
            let descriptor = Self.descriptor(at: written + writer, waited: waited)
            let now = written + passed
            let told = StoredObject([], age: passed, date: now + store)
            let age = try #require(descriptor.age(in: told, at: now + reader))
            let name = "seed \(seed): \(offsets), \(waited), \(passed)"
            #expect(age >= waited + passed, "\(name)")
            // If the reader's clock is not ahead of the writer's, the age is exact.
            if reader <= writer { #expect(age == waited + passed, "\(name)") }
            // Without the store's times, a descriptor from the future is not trusted.
            let silent = StoredObject([], date: now + store)
            if let age = descriptor.age(in: silent, at: now + reader) {
                #expect(age >= 0 && written + writer - waited <= now + store, "\(name)")
            } else {
                #expect(writer > min(reader, store), "\(name)")
            }
        }
    }

    @Test(
        "a version that is too old causes a question, and a newer one is given without a question",
        arguments: [0, hour, year],
        [nil, 0, -hour, hour]
    )
    func ahead(writer: Int64, store: Int64?) async throws {
        let scene = TierScene()
        func setClock() {
            scene.store.state.update { $0.clock = store.map { scene.now.value + $0 } }
        }
        setClock()
        try await scene.fill(ahead: writer)
        scene.now.update { $0 += 50 }
        setClock()
        // If the store reports no times, a time in the future counts as unknown.
        let isUnknown = store == nil && writer > 0
        #expect(try await TierScene.bytes(scene.source().read(.whole)).count == 10_500)
        #expect(scene.origin.log.descriptionCount == (isUnknown ? 1 : 0))
        scene.now.update { $0 += 20 }
        setClock()
        #expect(try await TierScene.bytes(scene.source().read(.whole)).count == 10_500)
        #expect(scene.origin.log.descriptionCount == (isUnknown ? 2 : 1))
        scene.origin.replace(with: ScriptedResource(length: 9000, seed: 2))
        #expect(
            try await TierScene.bytes(scene.source().read(.whole))
                == PatternBytes.bytes(in: 0..<9000, seed: 2)
        )
    }

    @Test(
        "a clock that is behind costs a question to the origin, whose answer then counts for its time"
    )
    func behind() async throws {
        let scene = TierScene()
        scene.store.state.update { $0.clock = scene.now.value }
        try await scene.fill(ahead: -Self.year)
        let source = scene.source()
        for _ in 0..<3 { #expect(try await TierScene.bytes(source.read(.whole)).count == 10_500) }
        #expect(scene.origin.log.descriptionCount == 1 && scene.origin.log.byteCount == 0)
        scene.clock.advance(by: .seconds(61))
        #expect(try await TierScene.bytes(source.read(.whole)).count == 10_500)
        #expect(scene.origin.log.descriptionCount == 2)
    }

    @Test("a step of this machine's own clock makes its own news neither older nor younger")
    func ownStep() async throws {
        let scene = TierScene()
        try await scene.fill()
        scene.now.update { $0 += 61 }
        let source = scene.source()
        _ = try await TierScene.bytes(source.read(.whole))
        #expect(scene.origin.log.descriptionCount == 1)
        for step in [-Self.year, Self.year] {
            scene.now.update { $0 += step }
            _ = try await TierScene.bytes(source.read(.whole))
        }
        #expect(scene.origin.log.descriptionCount == 1)
        scene.clock.advance(by: .seconds(61))
        scene.now.update { $0 -= Self.year }
        _ = try await TierScene.bytes(source.read(.whole))
        #expect(scene.origin.log.descriptionCount == 2)
    }

    @Test("a descriptor that waited to be written has the age of its news", arguments: [0, 59, 61])
    func waited(seconds: Int) async throws {
        let scene = TierScene()
        scene.store.state.update { $0.clock = scene.now.value }
        try await scene.fill()
        let tier = scene.tier(ahead: Self.hour)
        tier.confirmed(TierScene.resource, scene.origin.resource.resourceDescription)
        let heard = try #require(tier.confirmation(of: TierScene.resource))
        scene.clock.advance(by: .seconds(seconds))
        #expect(try await tier.write(heard.description, heard: heard.heard, of: TierScene.resource))
        _ = try await TierScene.bytes(scene.source().read(.whole))
        #expect(scene.origin.log.descriptionCount == (seconds < 60 ? 0 : 1))
    }
}
