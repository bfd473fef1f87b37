// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@Suite("A read that has few held bytes before a hole", .timeLimit(.minutes(1)))
struct ShortBeginningTests {
    private static let length: Int64 = 300_000

    private static func resource(seed: UInt64, hasValidator: Bool = true) -> ScriptedResource {
        var resource = ScriptedResource(length: Self.length, seed: seed)
        if !hasValidator { resource.validator = nil }
        return resource
    }

    private static var policy: LoadPolicy {
        var policy = LoaderScene.smallPolicy
        policy.readAhead = 1_000_000
        return policy
    }

    /// A scene that holds the first bytes of the first version.
    private static func scene(
        holding count: Int64 = 2,
        policy: LoadPolicy = Self.policy,
        hasValidator: Bool = true
    ) async throws -> LoaderScene {
        let scene = try LoaderScene(
            Self.resource(seed: 1, hasValidator: hasValidator),
            policy: policy
        )
        _ = try await scene.bytes(.span(0..<count))
        return scene
    }

    private static func bytes(_ range: Range<Int64> = 0..<length, seed: UInt64) -> [UInt8] {
        PatternBytes.bytes(in: range, seed: seed)
    }

    @Test(
        "gives the origin's current version from the first byte, with one more request",
        arguments: [2, 16_384, 64 << 10] as [Int64],
        [true, false]
    )
    func isOfTheNewVersion(_ count: Int64, _ hasValidator: Bool) async throws {
        let scene = try await Self.scene(holding: count, hasValidator: hasValidator)
        scene.origin.replace(with: Self.resource(seed: 2, hasValidator: hasValidator))
        #expect(scene.slice(.whole) == nil)
        let bytes = try await scene.bytes(.whole)
        #expect(bytes == Self.bytes(seed: 2))
        #expect(scene.origin.log.demands.count == 3)
        let held = scene.slice(.whole)
        #expect(held?.range == 0..<Self.length)
    }

    @Test("costs no further request and no further byte where the origin has the same version")
    func agrees() async throws {
        for hasValidator in [true, false] {
            let scene = try await Self.scene(hasValidator: hasValidator)
            #expect(try await scene.bytes(.whole) == Self.bytes(seed: 1))
            #expect(scene.origin.log.demands.count == 2)
            // Without a validator, the held bytes are read again and compared.
            #expect(scene.origin.log.repeatedByteCount == (hasValidator ? 0 : 2))
        }
    }

    @Test("starts with the header of the origin's answer, and not before")
    func startsWithTheHead() async throws {
        let scene = try await Self.scene()
        let head = scene.origin.holdAnswers()
        let body = scene.origin.hold(before: 2)
        let hasStarted = Watched(false)
        let reader = Task {
            let reading = try await scene.source.read(.whole)
            hasStarted.update { $0 = true }
            return try await reading.reduce(into: [UInt8]()) { $0 += try $1.bytes() }
        }
        try await scene.origin.waitForReads(2)
        await scene.clock.waitForSleepers(1)
        #expect(!hasStarted.value)
        head.open()
        try await hasStarted.wait { $0 }
        body.open()
        #expect(try await reader.value == Self.bytes(seed: 1))
    }

    @Test("does not wait if a request that has its answer brings the hole")
    func joinsAnAnswer() async throws {
        let scene = try LoaderScene(Self.resource(seed: 1), policy: Self.policy)
        let body = scene.origin.hold(before: 16_384)
        let first = try await scene.source.read(.whole)
        let iterator = first.makeAsyncIterator()
        _ = try await iterator.next()
        let other = try await scene.source.read(.whole)
        #expect(try await other.makeAsyncIterator().next()?.range.lowerBound == 0)
        #expect(scene.clock.sleeperCount == 0)
        body.open()
        #expect(scene.origin.log.demands.count == 1)
    }

    @Test(
        "begins with the held bytes where the origin is unreachable, and for a while without a wait"
    )
    func unreachable() async throws {
        let scene = try await Self.scene(holding: 10_000)
        scene.origin.refuse(with: SourceError(.unreachable, "gone"), times: nil)
        for _ in 0..<2 {
            let iterator = try await scene.source.read(.whole).makeAsyncIterator()
            #expect(try await iterator.next()?.bytes() == Self.bytes(0..<10_000, seed: 1))
            #expect(await thrownError { _ = try await iterator.next() }?.code == .unreachable)
        }
        #expect(scene.slice(.whole)?.range == 0..<10_000)
        // The reader does not wait for the origin, even if the origin is silent.
        let gate = scene.origin.holdAnswers()
        let iterator = try await scene.source.read(.whole).makeAsyncIterator()
        #expect(try await iterator.next()?.bytes() == Self.bytes(0..<10_000, seed: 1))
        gate.open()
        scene.clock.advance(by: .seconds(30))
        #expect(scene.slice(.whole) == nil, "it is waited for again")
    }

    @Test("begins with the held bytes where the origin is silent for ten seconds")
    func silent() async throws {
        let scene = try await Self.scene()
        _ = scene.origin.holdAnswers()
        let reading = Task { try await scene.source.read(.whole) }
        await scene.clock.waitForSleepers(1)
        #expect(scene.clock.remainingSleeps == [.seconds(10)])
        scene.clock.advance(by: .seconds(10))
        let iterator = try await reading.value.makeAsyncIterator()
        #expect(try await iterator.next()?.bytes() == Self.bytes(0..<2, seed: 1))
        await scene.source.close()
    }

    @Test("fails with the origin's error, where the policy refuses held bytes then")
    func refused() async throws {
        for rule in [WhenGone.refuse, .serve] {
            var policy = Self.policy
            policy.whenGone = rule
            let scene = try await Self.scene(policy: policy)
            scene.origin.refuse(with: SourceError(.notFound, "404", status: 404), times: nil)
            let error = await thrownError { _ = try await scene.source.read(.whole) }
            #expect(error?.code == (rule == .refuse ? .notFound : nil))
        }
    }

    @Test("ends where a resource of unknown length ends, without a wait")
    func ofUnknownLength() async throws {
        for hasValidator in [true, false] {
            var resource = Self.resource(seed: 1, hasValidator: hasValidator)
            resource.isLengthKnown = false
            let scene = try LoaderScene(resource, policy: Self.policy)
            let end = Self.length
            let last = end - 7..<end
            #expect(try await scene.bytes(.span(last)) == Self.bytes(last, seed: 1))
            // The request for the byte behind the last one finds the end.
            let gate = scene.origin.holdAnswers()
            let reader = Task { try await scene.bytes(.span(end - 7..<end + 13)) }
            try await scene.origin.waitForReads(2)
            await scene.clock.waitForSleepers(1)
            gate.open()
            #expect(try await reader.value == Self.bytes(last, seed: 1))
        }
    }

    @Test("ends at once when it is cancelled, and when the source is closed")
    func leaves() async throws {
        let scene = try await Self.scene()
        _ = scene.origin.holdAnswers()
        let cancelled = Task { try await scene.source.read(.whole) }
        await scene.clock.waitForSleepers(1)
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        let closed = Task { try await scene.source.read(.whole) }
        try await scene.origin.waitForReads(2)
        await scene.source.close()
        _ = try? await closed.value
        #expect(await thrownError { _ = try await scene.source.read(.whole) }?.code == .closed)
    }

    @Test(
        "does not wait for a long beginning, for fully held bytes, or for bytes that never change"
    )
    func othersDoNotWait() async throws {
        var immutable = Self.policy
        immutable.isImmutable = true
        var near = Self.policy
        near.readAhead = 0
        let cases: [(LoadPolicy, held: Int64, RequestedRange)] = [
            (Self.policy, 64 << 10 + 1, .whole), (Self.policy, 100_000, .span(0..<100_000)),
            (Self.policy, 1000, .span(0..<1000)), (immutable, 1000, .whole), (near, 1000, .whole),
        ]
        for (policy, held, range) in cases {
            let scene = try await Self.scene(holding: held, policy: policy)
            let gate = scene.origin.holdAnswers()
            #expect(scene.slice(range)?.range == 0..<held)
            let iterator = try await scene.source.read(range).makeAsyncIterator()
            #expect(try await iterator.next()?.range.lowerBound == 0)
            gate.open()
        }
    }

    @Test("gives one version wherever it starts, whatever is held and whatever the origin has")
    func anywhere() async throws {
        for seed in 0..<UInt64(TestLength.short(60, long: 2000)) {
            var generator = SeededGenerator(seed: seed)
            let hasValidator = Bool.random(using: &generator)
            let scene = try LoaderScene(
                Self.resource(seed: 1, hasValidator: hasValidator),
                policy: Self.policy
            )
            var version: UInt64 = 1
            for _ in 0..<8 {
                if Bool.random(using: &generator) {
                    version += 1
                    scene.origin.replace(
                        with: Self.resource(seed: version, hasValidator: hasValidator)
                    )
                }
                let lower = Int64.random(in: 0..<Self.length, using: &generator)
                let upper = lower + Int64.random(in: 1...40_000, using: &generator)
                let range = lower..<min(upper, Self.length)
                let isHeld = scene.slice(.span(range))?.range == range
                var received: [UInt8] = []
                do {
                    for try await chunk in try await scene.source.read(.span(range)) {
                        received += try chunk.bytes()
                    }
                } catch let error as SourceError {
                    // A second hole of the range may get another version than the first.
                    #expect(error.code == .changed, "seed \(seed)")
                }
                let isOfOne = (1...version).contains { old in
                    Self.bytes(range, seed: old).starts(with: received)
                }
                #expect(isOfOne, "seed \(seed)")
                // Without a validator, the compared bytes may be the same in both versions.
                if !isHeld, hasValidator, received.count == range.count {
                    #expect(received == Self.bytes(range, seed: version), "seed \(seed)")
                }
            }
        }
    }
}
