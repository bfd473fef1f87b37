// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@Suite("The time for which the origin lets held bytes be used", .timeLimit(.minutes(1)))
struct FreshnessTests {
    private static let length: Int64 = 300_000

    private static func resource(_ seconds: Int64?, seed: UInt64 = 1) -> ScriptedResource {
        var resource = ScriptedResource(length: self.length, seed: seed)
        resource.cacheDirectives = seconds.map { CacheDirectives(freshness: .seconds($0)) }
        return resource
    }

    private static func bytes(_ seed: UInt64) -> [UInt8] {
        PatternBytes.bytes(in: 0..<self.length, seed: seed)
    }

    private static func policy(_ change: (inout LoadPolicy) -> Void) -> LoadPolicy {
        var policy = LoaderScene.smallPolicy
        change(&policy)
        return policy
    }

    @Test("no-cache makes each reading ask, and fetches no unchanged byte again")
    func isAsked() async throws {
        let scene = try LoaderScene(Self.resource(0))
        for count in 0..<4 {
            #expect(try await scene.bytes(.whole) == Self.bytes(1))
            #expect(scene.origin.log.descriptionCount == count)
        }
        #expect(scene.origin.log.demands.count == 1)
        #expect(scene.slice(.whole) == nil)
        scene.origin.replace(with: Self.resource(0, seed: 2))
        #expect(try await scene.bytes(.whole) == Self.bytes(2))
    }

    @Test("a reading whose first byte is not held sends its request, and no question before it")
    func asksOnce() async throws {
        let scene = try LoaderScene(Self.resource(0))
        _ = try await scene.bytes(.span(0..<50_000))
        _ = try await scene.bytes(.span(200_000..<210_000))
        #expect(scene.origin.log.descriptionCount == 0)
        #expect(scene.origin.log.demands.count == 2)
    }

    @Test("max-age counts where it is shorter than the user's minute")
    func isShorter() async throws {
        let scene = try LoaderScene(Self.resource(10))
        _ = try await scene.bytes(.whole)
        scene.clock.advance(by: .seconds(9))
        _ = try await scene.bytes(.whole)
        #expect(scene.origin.log.descriptionCount == 0)
        scene.clock.advance(by: .seconds(1))
        _ = try await scene.bytes(.whole)
        #expect(scene.origin.log.descriptionCount == 1)
        let long = try LoaderScene(Self.resource(3600))
        _ = try await long.bytes(.whole)
        long.clock.advance(by: .seconds(60))
        _ = try await long.bytes(.whole)
        #expect(long.origin.log.descriptionCount == 1)
    }

    @Test("a time that the user names counts before the origin's")
    func isNamed() async throws {
        let scene = try LoaderScene(
            Self.resource(0),
            policy: Self.policy { $0.heedsFreshness = false }
        )
        for _ in 0..<3 { #expect(try await scene.bytes(.whole) == Self.bytes(1)) }
        #expect(scene.origin.log.descriptionCount == 0)
        let never = try LoaderScene(
            Self.resource(0),
            policy: Self.policy { $0.revalidation = .never }
        )
        for _ in 0..<3 { #expect(try await never.bytes(.whole) == Self.bytes(1)) }
        #expect(never.origin.log.descriptionCount == 0)
    }

    @Test("is remembered over a restart, and the next answer replaces it")
    func isRemembered() async throws {
        let first = try LoaderScene(Self.resource(0))
        _ = try await first.bytes(.span(0..<100_000))
        let scene = try LoaderScene(restarting: first)
        #expect(try await scene.bytes(.span(0..<50_000)) == Array(Self.bytes(1)[..<50_000]))
        #expect(scene.origin.log.descriptionCount == 1)
        scene.origin.replace(with: Self.resource(nil))
        #expect(try await scene.bytes(.whole) == Self.bytes(1))
        let asked = scene.origin.log.descriptionCount
        for _ in 0..<3 { _ = try await scene.bytes(.whole) }
        #expect(scene.origin.log.descriptionCount == asked, "nothing is said any more")
    }

    @Test("an unreachable origin lets the held bytes play")
    func isUnreachable() async throws {
        let scene = try LoaderScene(Self.resource(0))
        _ = try await scene.bytes(.whole)
        scene.origin.refuse(with: SourceError(.unreachable, "gone"), times: nil)
        for _ in 0..<3 { #expect(try await scene.bytes(.whole) == Self.bytes(1)) }
        #expect(scene.origin.log.descriptionCount == 1)
    }
}
