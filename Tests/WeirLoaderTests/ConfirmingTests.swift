// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@Suite("Asking whether the held bytes are still right", .timeLimit(.minutes(1)))
struct ConfirmingTests {
    private static let length: Int64 = 300_000
    private static let old = ScriptedResource(length: length, seed: 1)
    private static let new = ScriptedResource(length: length, seed: 2)

    private static func bytes(seed: UInt64) -> [UInt8] {
        PatternBytes.bytes(in: 0..<self.length, seed: seed)
    }

    private static func policy(_ revalidation: Revalidation) -> LoadPolicy {
        var policy = LoaderScene.smallPolicy
        policy.revalidation = revalidation
        return policy
    }

    /// The scene after a restart, 60 s later, so that the next reader asks the origin again.
    private static func restarted(_ other: LoaderScene) async throws -> LoaderScene {
        let scene = try LoaderScene(restarting: other)
        #expect(try await scene.source.describe().length == Self.length)
        scene.clock.advance(by: .seconds(60))
        return scene
    }

    /// A scene whose resource is held whole.
    private static func held(_ revalidation: Revalidation = .after(.seconds(60))) async throws
        -> LoaderScene
    {
        let scene = try LoaderScene(Self.old, policy: Self.policy(revalidation))
        #expect(try await scene.bytes(.whole) == Self.bytes(seed: 1))
        return scene
    }

    @Test("within its time the source does not ask")
    func fresh() async throws {
        let scene = try await Self.held()
        scene.clock.advance(by: .seconds(59))
        #expect(try await scene.bytes(.whole) == Self.bytes(seed: 1))
        #expect(scene.slice(.whole)?.range == 0..<Self.length)
        #expect(scene.origin.log.descriptionCount == 0)
        #expect(scene.origin.log.demands.count == 1)
    }

    @Test("after its time the source asks once, and the answer counts for as long again")
    func stale() async throws {
        let scene = try await Self.held()
        scene.clock.advance(by: .seconds(60))
        #expect(scene.slice(.whole) == nil, "a look asks no origin")
        #expect(try await scene.bytes(.whole) == Self.bytes(seed: 1))
        #expect(try await scene.bytes(.from(5)).count == Int(Self.length) - 5)
        #expect(scene.origin.log.descriptionCount == 1)
        #expect(scene.slice(.whole)?.range == 0..<Self.length)
        #expect(scene.origin.log.demands.count == 1)
    }

    @Test("after a restart the source knows the time of the last question")
    func restart() async throws {
        let scene = try LoaderScene(restarting: try await Self.held())
        #expect(try await scene.bytes(.whole) == Self.bytes(seed: 1))
        #expect(scene.origin.log.descriptionCount == 0)
        let again = try await Self.restarted(scene)
        again.origin.replace(with: Self.new)
        #expect(try await again.bytes(.whole) == Self.bytes(seed: 2))
        #expect(try again.cache.resources().count == 1)
    }

    @Test("with `always` the source asks before each reading")
    func always() async throws {
        let scene = try await Self.held(.always)
        for _ in 0..<3 { #expect(try await scene.bytes(.whole) == Self.bytes(seed: 1)) }
        #expect(scene.origin.log.descriptionCount >= 3)
        #expect(scene.slice(.whole) == nil)
        scene.origin.replace(with: Self.new)
        #expect(try await scene.bytes(.whole) == Self.bytes(seed: 2))
    }

    @Test("with `never` the source does not ask, whatever the origin has")
    func never() async throws {
        let scene = try LoaderScene(restarting: try await Self.held(), policy: Self.policy(.never))
        scene.origin.replace(with: Self.new)
        #expect(try await scene.bytes(.whole) == Self.bytes(seed: 1))
        #expect(scene.origin.log.descriptionCount == 0)
    }

    @Test(
        "while the origin is unreachable the held bytes play, and the source pauses its questions"
    )
    func unreachable() async throws {
        let scene = try await Self.restarted(try await Self.held())
        scene.origin.refuse(with: SourceError(.unreachable, "gone"), times: nil)
        for _ in 0..<3 { #expect(try await scene.bytes(.whole) == Self.bytes(seed: 1)) }
        #expect(try await scene.source.describe().length == Self.length)
        #expect(scene.origin.log.descriptionCount == 1)
        scene.clock.advance(by: .seconds(30))
        #expect(try await scene.bytes(.whole) == Self.bytes(seed: 1))
        #expect(scene.origin.log.descriptionCount == 2)
    }

    @Test(
        "an origin that does not answer delays a reader for half a second, and its late answer counts"
    )
    func slow() async throws {
        let scene = try await Self.restarted(try await Self.held())
        let gate = scene.origin.holdAnswers()
        scene.origin.replace(with: Self.new)
        async let held = scene.bytes(.whole)
        await scene.clock.waitForSleepers(1)
        #expect(scene.clock.remainingSleeps == [.milliseconds(500)])
        scene.clock.advance(by: .milliseconds(500))
        #expect(try await held == Self.bytes(seed: 1), "all of it was held")
        gate.open()
        // The origin's answer arrives independently: at some moment the next reader gets the new version.
        var now = Self.bytes(seed: 1)
        while now != Self.bytes(seed: 2) {
            now = try await scene.bytes(.whole)
            #expect(now == Self.bytes(seed: 1) || now == Self.bytes(seed: 2))
            await Task.yield()
        }
        #expect(scene.origin.log.descriptionCount == 1)
    }

    @Test("a change found in mid-read ends only the readers that lack bytes")
    func changeInMidRead() async throws {
        let scene = try await Self.held()
        let holding = try await scene.source.read(.whole)
        let iterator = holding.makeAsyncIterator()
        var bytes = try #require(try await iterator.next()?.bytes())
        scene.clock.advance(by: .seconds(60))
        scene.origin.replace(with: Self.new)
        #expect(try await scene.bytes(.whole) == Self.bytes(seed: 2))
        while let chunk = try await iterator.next() { bytes += try chunk.bytes() }
        #expect(bytes == Self.bytes(seed: 1))
    }

    @Test("ten readers at once cause one question")
    func shared() async throws {
        let scene = try await Self.restarted(try await Self.held())
        let gate = scene.origin.holdAnswers()
        let all = try await withThrowingTaskGroup(of: [UInt8].self) { group in
            for _ in 0..<10 { group.addTask { try await scene.bytes(.whole) } }
            await scene.clock.waitForSleepers(10)
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(all.allSatisfy { $0 == Self.bytes(seed: 1) })
        #expect(scene.origin.log.descriptionCount == 1)
    }

    @Test("a reader that is cancelled while it waits leaves at once")
    func cancelled() async throws {
        let scene = try await Self.restarted(try await Self.held())
        _ = scene.origin.holdAnswers()
        let reader = Task { try await scene.bytes(.whole) }
        await scene.clock.waitForSleepers(1)
        reader.cancel()
        await #expect(throws: CancellationError.self) { try await reader.value }
        await scene.source.close()
    }

    @Test("a partly held file that has changed is read in its new version, from the first byte")
    func partly() async throws {
        let first = try LoaderScene(Self.old)
        _ = try await first.bytes(.span(0..<100_000))
        let scene = try await Self.restarted(first)
        scene.origin.replace(with: Self.new)
        #expect(try await scene.bytes(.whole) == Self.bytes(seed: 2))
        // The reader also gets the new version if its first byte is not held: the response with that byte shows the
        // change.
        let other = try await Self.restarted(scene)
        other.origin.replace(with: Self.old)
        #expect(try await other.bytes(.from(200_000)) == Array(Self.bytes(seed: 1)[200_000...]))
    }
}
