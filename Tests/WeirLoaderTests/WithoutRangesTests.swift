// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@Suite("An origin without ranges", .timeLimit(.minutes(1)))
struct WithoutRangesTests {
    private final class Scene: Sendable {
        let origin: WholeOrigin
        let cache: Cache
        let source: CachedSource
        let clock = ManualClock()
        private let folder = TemporaryDirectory()

        init(_ origin: WholeOrigin) throws {
            self.origin = origin
            self.cache = try Cache(directory: self.folder.path)
            self.source = CachedSource(
                origin: origin,
                key: LoaderScene.key,
                cache: self.cache,
                policy: LoaderScene.smallPolicy,
                clock: self.clock
            )
        }

        func bytes(_ range: RequestedRange) async throws -> [UInt8] {
            var bytes: [UInt8] = []
            for try await chunk in try await self.source.read(range) { bytes += try chunk.bytes() }
            return bytes
        }

        deinit { self.cache.close() }
    }

    private static let tag = Validator.entityTag("\"v1\"")

    @Test(
        "sends one body for ranges in any order, the whole, and each play after it",
        arguments: [true, false]
    )
    func oneBody(_ hasValidator: Bool) async throws {
        let validator = hasValidator ? Self.tag : nil
        let scene = try Scene(WholeOrigin(length: 1_000_000, validator: validator))
        for range in [500_000..<500_100, 200_000..<300_000, 900_000..<900_010] as [Range<Int64>] {
            #expect(try await scene.bytes(.span(range)) == PatternBytes.bytes(in: range))
        }
        for _ in 0..<3 {
            #expect(try await scene.bytes(.whole) == PatternBytes.bytes(in: 0..<1_000_000))
            #expect(
                try await scene.bytes(.suffix(10)) == PatternBytes.bytes(in: 999_990..<1_000_000)
            )
        }
        #expect(scene.origin.state.value.bodies == 1)
        #expect(scene.origin.state.value.byteCount == 1_000_000)
    }

    @Test(
        "that gives no length sends one body, and gets no further request behind the end",
        arguments: [true, false],
        [true, false]
    )
    func unknownLength(_ hasValidator: Bool, _ provesEnd: Bool) async throws {
        let scene = try Scene(
            WholeOrigin(
                length: 300_000,
                isLengthKnown: false,
                provesEnd: provesEnd,
                validator: hasValidator ? Self.tag : nil
            )
        )
        let end = try await scene.bytes(.from(200_000))
        #expect(end == PatternBytes.bytes(in: 200_000..<300_000))
        for _ in 0..<3 {
            #expect(try await scene.bytes(.whole) == PatternBytes.bytes(in: 0..<300_000))
            #expect(try await scene.bytes(.from(250_000)).count == 50_000)
        }
        #expect(scene.origin.state.value.bodies == 1)
    }

    @Test("keeps its connection for half a minute after the last reader has left")
    func lingers() async throws {
        let scene = try Scene(WholeOrigin(length: 10_000_000, validator: Self.tag))
        _ = try await scene.bytes(.span(0..<100))
        await scene.clock.waitForSleepers(1)
        #expect(scene.clock.remainingSleeps == [.seconds(30)])
        scene.clock.advance(by: .seconds(30))
        try await scene.origin.state.wait { $0.left == 1 }
    }

    @Test("closes its connection at once when another request to its host comes")
    func givesWay() async throws {
        let scene = try Scene(WholeOrigin(length: 10_000_000, validator: Self.tag))
        _ = try await scene.bytes(.span(0..<100))
        try await scene.origin.state.wait { $0.giveWay != nil }
        scene.origin.state.value.giveWay?()
        try await scene.origin.state.wait { $0.left == 1 }
        #expect(try await scene.bytes(.span(0..<200)) == PatternBytes.bytes(in: 0..<200))
    }
}
