// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@Suite("Held bytes of a resource that the origin no longer gives", .timeLimit(.minutes(1)))
struct WhenGoneTests {
    private static let length: Int64 = 300_000
    private static let bytes = PatternBytes.bytes(in: 0..<Self.length)

    private static func error(_ status: Int) -> SourceError {
        let code: SourceError.Code =
            switch status {
            case 401: .unauthorized
            case 403: .forbidden
            case 404, 410: .notFound
            default: .originFailed
            }
        return SourceError(code, "The origin says \(status).", status: status)
    }

    /// A scene with a held resource, whose origin refuses the next check with a status.
    private static func scene(_ rule: WhenGone?, _ status: Int) async throws -> LoaderScene {
        var policy = LoaderScene.smallPolicy
        policy.whenGone = rule
        let scene = try LoaderScene(ScriptedResource(length: Self.length), policy: policy)
        #expect(try await scene.bytes(.whole) == Self.bytes)
        scene.clock.advance(by: .seconds(60))
        scene.origin.refuse(with: Self.error(status), times: nil)
        return scene
    }

    private func told(_ scene: LoaderScene) -> [String] {
        scene.events.value.compactMap {
            guard case .refusedThoughHeld(let resource, _, let reason, let isServed) = $0 else {
                return nil
            }
            return "\(resource) \(reason) \(isServed)"
        }
    }

    @Test(
        "are served, with one notice",
        arguments: [
            (nil, 401), (nil, 403), (nil, 404), (nil, 410), (.serve, 401), (.serve, 404),
            (.refuseUnauthorized, 404), (.refuseUnauthorized, 410),
        ] as [(WhenGone?, Int)]
    )
    func areServed(_ rule: WhenGone?, _ status: Int) async throws {
        let scene = try await Self.scene(rule, status)
        for _ in 0..<3 { #expect(try await scene.bytes(.whole) == Self.bytes) }
        #expect(scene.origin.log.descriptionCount == 1, "and the origin is left alone for a while")
        scene.clock.advance(by: .seconds(30))
        #expect(try await scene.bytes(.whole) == Self.bytes)
        #expect(scene.origin.log.descriptionCount == 2)
        #expect(
            self.told(scene) == ["https://origin.example/a.mp3 The origin says \(status). true"]
        )
    }

    @Test(
        "are refused with the origin's error, with one notice",
        arguments: [
            (.refuse, 401), (.refuse, 403), (.refuse, 404), (.refuse, 410),
            (.refuseUnauthorized, 401), (.refuseUnauthorized, 403),
        ] as [(WhenGone, Int)]
    )
    func areRefused(_ rule: WhenGone, _ status: Int) async throws {
        let scene = try await Self.scene(rule, status)
        for _ in 0..<3 {
            let error = await thrownError { _ = try await scene.bytes(.whole) }
            #expect(error?.code == Self.error(status).code && error?.status == status)
            #expect(scene.slice(.whole) == nil)
        }
        #expect(await thrownError { _ = try await scene.source.describe() }?.status == status)
        #expect(
            self.told(scene) == ["https://origin.example/a.mp3 The origin says \(status). false"]
        )
        #expect(try scene.cache.resources().count == 1, "nothing is thrown away")
        // The credential works again.
        scene.origin.clearScript()
        #expect(try await scene.bytes(.whole) == Self.bytes)
        #expect(scene.slice(.whole)?.range == 0..<Self.length)
    }

    @Test(
        "are served without a notice when the answer is not about the resource",
        arguments: [500, 503]
    )
    func areLeftAlone(_ status: Int) async throws {
        let scene = try await Self.scene(.refuse, status)
        #expect(try await scene.bytes(.whole) == Self.bytes)
        #expect(self.told(scene).isEmpty)
    }

    @Test("stay refused while the origin is slow to repeat its answer")
    func stayRefused() async throws {
        let scene = try await Self.scene(.refuse, 403)
        _ = await thrownError { _ = try await scene.bytes(.whole) }
        let gate = scene.origin.holdAnswers()
        let isOver = Watched(false)
        let reader = Task {
            defer { isOver.update { $0 = true } }
            return await thrownError { _ = try await scene.bytes(.whole) }
        }
        // Other tasks sleep too, so the test advances the time until the reader stops waiting.
        while !isOver.value {
            scene.clock.advance(by: .milliseconds(100))
            await Task.yield()
        }
        #expect(await reader.value?.status == 403)
        gate.open()
    }

    @Test("are refused with a notice, too, after the origin refuses a missing byte")
    func lacksBytes() async throws {
        var policy = LoaderScene.smallPolicy
        policy.whenGone = .refuseUnauthorized
        let scene = try LoaderScene(ScriptedResource(length: Self.length), policy: policy)
        _ = try await scene.bytes(.span(0..<100_000))
        scene.origin.refuse(with: Self.error(403), times: nil)
        #expect(await thrownError { _ = try await scene.bytes(.from(200_000)) }?.status == 403)
        #expect(self.told(scene).count == 1)
        #expect(scene.slice(.span(0..<10)) == nil)
        #expect(await thrownError { _ = try await scene.bytes(.span(0..<10)) }?.status == 403)
    }

    @Test("cause no question where the policy never asks")
    func neverAsked() async throws {
        var policy = LoaderScene.smallPolicy
        policy.whenGone = .refuse
        policy.revalidation = .never
        let scene = try LoaderScene(ScriptedResource(length: Self.length), policy: policy)
        _ = try await scene.bytes(.whole)
        scene.origin.refuse(with: Self.error(404), times: nil)
        #expect(try await scene.bytes(.whole) == Self.bytes)
        #expect(self.told(scene).isEmpty)
    }
}
