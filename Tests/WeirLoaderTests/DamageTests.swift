// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@Suite("A cached file that is damaged", .timeLimit(.minutes(1)))
struct DamageTests {
    private static let length: Int64 = 500_000

    /// A whole file in the cache of a process that has not read it yet.
    private static func restarted(_ revalidation: Revalidation = .after(.seconds(60))) async throws
        -> LoaderScene
    {
        let first = try LoaderScene(ScriptedResource(length: Self.length))
        #expect(try await first.bytes(.whole) == PatternBytes.bytes(in: 0..<Self.length))
        await first.source.close()
        var policy = LoaderScene.smallPolicy
        policy.revalidation = revalidation
        return try LoaderScene(restarting: first, policy: policy)
    }

    @Test(
        "is repaired from the origin, by one block, before the reader gets it",
        arguments: [0, 70_000, 499_999]
    )
    func heals(place: UInt64) async throws {
        let scene = try await Self.restarted()
        let before = scene.origin.log.byteCount
        try scene.rot(at: place)
        #expect(try await scene.bytes(.whole) == PatternBytes.bytes(in: 0..<Self.length))
        let block = Int64(place) / 65_536 * 65_536
        #expect(
            scene.origin.log.byteCount - before == min(65_536, Self.length - block),
            "the damaged block, and nothing else"
        )
        // The block stays repaired after a restart.
        let again = try LoaderScene(restarting: scene)
        again.origin.refuse(with: SourceError(.unreachable, "gone"), times: nil)
        #expect(try await again.bytes(.whole) == PatternBytes.bytes(in: 0..<Self.length))
    }

    @Test("is repaired in mid-read, for a reader whose bytes were all held")
    func healsBehindTheStart() async throws {
        let scene = try await Self.restarted()
        try scene.rot(at: 300_000)
        let reading = try await scene.source.read(.whole)
        #expect(scene.origin.log.demands.count == 1, "nothing was asked for yet")
        var bytes: [UInt8] = []
        for try await chunk in reading { bytes += try chunk.bytes() }
        #expect(bytes == PatternBytes.bytes(in: 0..<Self.length))
    }

    @Test(
        "ends a reader with an error where the origin is unreachable, and never gives a wrong byte"
    )
    func withoutOrigin() async throws {
        let scene = try await Self.restarted()
        try scene.rot(at: 300_000)
        scene.origin.refuse(with: SourceError(.unreachable, "gone"), times: nil)
        var count: Int64 = 0
        let error = await #expect(throws: SourceError.self) {
            for try await chunk in try await scene.source.read(.whole) {
                #expect(try chunk.bytes() == PatternBytes.bytes(in: chunk.range))
                count = chunk.range.upperBound
            }
        }
        #expect(error?.code == .unreachable)
        #expect(count == 262_144, "everything before the damaged block")
        #expect(
            try await scene.bytes(.from(327_680)) == PatternBytes.bytes(in: 327_680..<Self.length)
        )
    }

    @Test("is not joined to another version of the file")
    func changedMeanwhile() async throws {
        let scene = try await Self.restarted(.never)
        try scene.rot(at: 300_000)
        scene.origin.replace(with: ScriptedResource(length: Self.length, seed: 2))
        await #expect(throws: SourceError.self) {
            for try await chunk in try await scene.source.read(.whole) {
                #expect(try chunk.bytes() == PatternBytes.bytes(in: chunk.range))
            }
        }
        #expect(try await scene.bytes(.whole) == PatternBytes.bytes(in: 0..<Self.length, seed: 2))
    }

    @Test("is not handed out as a resident slice")
    func resident() async throws {
        let scene = try await Self.restarted()
        try scene.rot(at: 10)
        _ = try await scene.source.describe()
        #expect(scene.slice(.span(0..<100)) == nil)
        #expect(try await scene.bytes(.span(0..<100)) == PatternBytes.bytes(in: 0..<100))
        _ = try await scene.bytes(.whole)
    }
}
