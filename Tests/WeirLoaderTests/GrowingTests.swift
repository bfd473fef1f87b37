// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@Suite("A file that grows", .timeLimit(.minutes(1)))
struct GrowingTests {
    private static let length: Int64 = 200_000
    private static let grown: Int64 = 260_000

    /// A scene that holds a whole file, which has grown at the origin.
    private static func scene(
        validator: Bool = true,
        policy: LoadPolicy = LoaderScene.smallPolicy
    ) async throws -> LoaderScene {
        var short = ScriptedResource(length: self.length)
        var long = ScriptedResource(length: self.grown)
        if !validator { (short.validator, long.validator) = (nil, nil) }
        let scene = try LoaderScene(short, policy: policy)
        #expect(try await scene.bytes(.whole) == PatternBytes.bytes(in: 0..<self.length))
        try await scene.waitUntilIdle()
        scene.clock.advance(by: .seconds(1))
        scene.origin.replace(with: long)
        return scene
    }

    @Test(
        "has its growth noticed by a read at its end or behind it, long before the next question is due",
        arguments: [
            (length, true), (length + 5_000, true), (length, false), (length + 5_000, false),
        ]
    )
    func grows(_ start: Int64, _ hasValidator: Bool) async throws {
        let scene = try await Self.scene(validator: hasValidator)
        let bytes = try await scene.bytes(.from(start))
        #expect(bytes == PatternBytes.bytes(in: start..<Self.grown))
        #expect(scene.source.availability.length == Self.grown)
        // New readers get one version, from its start.
        #expect(try await scene.bytes(.whole) == PatternBytes.bytes(in: 0..<Self.grown))
    }

    @Test("causes a question for each read at its end, and for no read that starts before")
    func asks() async throws {
        let scene = try LoaderScene(ScriptedResource(length: Self.length))
        _ = try await scene.bytes(.whole)
        try await scene.waitUntilIdle()
        scene.clock.advance(by: .seconds(1))
        for count in 1...3 {
            #expect(try await scene.bytes(.from(Self.length)) == [])
            #expect(scene.origin.log.descriptionCount == count)
        }
        #expect(try await scene.bytes(.from(Self.length - 1)).count == 1)
        #expect(try await scene.bytes(.suffix(1)).count == 1)
        #expect(scene.origin.log.descriptionCount == 3 && scene.origin.log.demands.count == 1)
        await #expect(throws: SourceError.self) { try await scene.bytes(.from(Self.length + 1)) }
        #expect(scene.origin.log.descriptionCount == 4)
    }

    @Test("ends at the held bytes when the origin must not be asked, or gives no answer")
    func sendsNothing() async throws {
        var never = LoaderScene.smallPolicy
        never.revalidation = .never
        var immutable = LoaderScene.smallPolicy
        immutable.isImmutable = true
        for policy in [never, immutable] {
            let scene = try await Self.scene(policy: policy)
            #expect(try await scene.bytes(.from(Self.length)) == [])
            #expect(scene.origin.log.descriptionCount == 0)
        }
        let away = try await Self.scene()
        away.origin.refuse(with: SourceError(.unreachable, "gone"), times: nil)
        for _ in 0..<3 { #expect(try await away.bytes(.from(Self.length)) == []) }
        #expect(away.origin.log.descriptionCount == 1)
    }

    @Test("that was empty has its growth noticed by the next read")
    func wasEmpty() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 0))
        #expect(try await scene.bytes(.whole) == [])
        scene.clock.advance(by: .seconds(1))
        scene.origin.replace(with: ScriptedResource(length: 1_000))
        #expect(try await scene.bytes(.whole) == PatternBytes.bytes(in: 0..<1_000))
    }
}
