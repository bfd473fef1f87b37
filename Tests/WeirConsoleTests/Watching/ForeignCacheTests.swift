// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import Weir
import WeirProxy
import WeirSource
import WeirTestKit

@testable import WeirCache
@testable import WeirConsole

@Suite("A cache that another process owns", .timeLimit(.minutes(1)))
struct ForeignCacheTests {
    /// Runs a test with a console beside the owner of the cache.
    private func with(
        _ resources: [KeptResource],
        _ test: (_ owner: ConsoleScene, _ scene: ConsoleScene) async throws -> Void
    ) async throws {
        try await ConsoleScene.run(resources) { owner in
            let scene = try ConsoleScene(beside: owner)
            do {
                try await test(owner, scene)
            } catch {
                await scene.library.close()
                throw error
            }
            await scene.library.close()
        }
    }

    private func state(_ scene: ConsoleScene) async throws -> ConsoleState {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .iso8601
        return try decoder.decode(
            ConsoleState.self,
            from: Data(await scene.ask("/state").bytes)
        )
    }

    @Test("is shown with the sizes of its resources, and with the reason why the rest is missing")
    func shown() async throws {
        try await self.with([.kept(1, 100, of: 200), .kept(2, 50)]) { _, scene in
            #expect(scene.library.cacheSnapshot(of: 9) == nil)
            let state = try await self.state(scene)
            #expect(Set(state.resources.map(\.id)) == Set([1, 2].map(Cache.identifier)))
            #expect(state.resources.map(\.held).reduce(0, +) == 150)
            #expect(state.resources.allSatisfy { $0.pieces == nil && !$0.open })
            #expect(state.cache.bytes == 150 && state.cache.resources == 2)
            #expect(state.cache.limits == .init() && state.cache.free == nil)
            #expect(state.cache.trouble?.hasPrefix("Another weir process owns the cache") == true)
        }
    }

    @Test("is read again after two seconds, and not before")
    func again() async throws {
        try await self.with([.kept(1, 100)]) { owner, scene in
            #expect(try await self.state(scene).resources.count == 1)
            _ = try await owner.library.remove(identifier: Cache.identifier(1))
            scene.clock.advance(by: .seconds(2) - .nanoseconds(1))
            #expect(try await self.state(scene).resources.count == 1)
            scene.clock.advance(by: .nanoseconds(1))
            #expect(try await self.state(scene).resources.isEmpty)
        }
    }

    @Test("is changed by its owner on request, except for its limits")
    func actions() async throws {
        try await self.with([.kept(1, 100)]) { owner, scene in
            #expect(await scene.act("pin", Cache.identifier(1)).status == 200)
            #expect(await owner.resources().map(\.isPinned) == [true])
            let limits = await scene.ask("/actions/limits", .post, query: "bytes=1")
            #expect(limits.status == 409)
            #expect(limits.text.contains("change the limits there"))
            #expect(owner.library.cacheLimits != .init(byteCount: 1))
            #expect(await scene.act("remove", Cache.identifier(1)).status == 200)
            #expect(await owner.resources().isEmpty)
        }
    }

    @Test("has gauges only at its owner")
    func gauges() async throws {
        try await self.with([.kept(1, 100)]) { owner, scene in
            #expect(await owner.ask("/metrics").text.contains("\nweir_cache_bytes 100\n"))
            #expect(!(await scene.ask("/metrics").text.contains("weir_cache_bytes")))
        }
    }

    @Test("is sent to pages once, and not again with each look")
    func quiet() async throws {
        try await self.with([.kept(1, 100), .kept(2, 50)]) { _, scene in
            let lines = try #require(await scene.ask("/events").reading).makeAsyncIterator()
            _ = try await lines.next()
            await scene.nextLook()
            await scene.clock.waitForSleepers(1)
            scene.events.note(
                ConsoleEvent(kind: "told", subject: nil, text: "Told.", isTrouble: false)
            )
            await scene.nextLook()
            var change: ConsoleChange
            let decoder = JSONDecoder()
            decoder.dateDecodingStrategy = .iso8601
            repeat {
                let line = try #require(try await lines.next())
                change = try decoder.decode(ConsoleChange.self, from: Data(try line.bytes()))
            } while change.events == nil
            #expect(change.resources == nil && change.removed == nil)
        }
    }
}
