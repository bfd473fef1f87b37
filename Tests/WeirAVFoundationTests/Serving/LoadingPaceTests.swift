// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirAVFoundation

@Suite("How much the server hands over, and to which request first")
struct LoadingPaceTests {
    @Test("small pieces are gathered for a short time")
    func gathering() {
        var scene = ServerScene.begun(length: 1_000)
        _ = scene.asks(1, 0, 1_000, toTheEnd: true)
        #expect(scene.arrived(1, 10) == ["wait w2 0.02 seconds", "pull f1 502"])
        #expect(scene.arrived(1, 10) == ["pull f1 492"])
        #expect(scene.waited(2) == ["respond r1 20"])
        #expect(scene.arrived(1, 64) == ["respond r1 64", "pull f1 512"])
    }

    @Test("a player that keeps a full window gets one piece for each wait")
    func window() {
        var scene = ServerScene.begun(length: 100_000)
        #expect(scene.asks(1, 0, 100_000, toTheEnd: true) == ["respond r1 64", "pull f1 512"])
        #expect(scene.arrived(1, 512) == ["respond r1 512", "pull f1 512"])
        #expect(scene.arrived(1, 512) == ["respond r1 512", "pull f1 512"])
        #expect(scene.arrived(1, 512) == ["respond r1 512", "pull f1 448"])
        #expect(scene.arrived(1, 448) == ["respond r1 448", "wait w2 0.05 seconds"])
        #expect(scene.waited(2) == ["pull f1 512"])
        #expect(scene.arrived(1, 512) == ["respond r1 512", "wait w3 0.05 seconds"])
        #expect(scene.releases(1, 1_000) == ["pull f1 488"])
        // The release has made this wait obsolete: the player does not count as one that keeps bytes for too long.
        #expect(scene.waited(3).isEmpty)
        #expect(scene.server.requests.first?.isSated == false)
    }

    @Test("beyond the ceiling a player that releases nothing gets nothing more")
    func ceiling() {
        var limits = ServerScene.limits
        limits.ceiling = 2_500
        var scene = ServerScene.begun(length: 100_000, limits)
        _ = scene.asks(1, 0, 100_000, toTheEnd: true)
        for count in [512, 512, 512, 448] { _ = scene.arrived(1, count) }
        #expect(scene.waited(2) == ["pull f1 512"])
        #expect(scene.arrived(1, 512) == ["respond r1 512"])
        #expect(scene.releases(1, 1_000) == ["pull f1 488"])
    }

    @Test(
        "when the newest request has its lead the older ones go on, with a small window and no waits"
    )
    func overtaken() {
        var scene = ServerScene.begun(length: 100_000)
        _ = scene.asks(1, 0, 100_000, toTheEnd: true)
        _ = scene.asks(2, 30_000, 70_000, toTheEnd: true)
        _ = scene.asks(3, 50_000, 50_000, toTheEnd: true)
        _ = scene.opened(3, at: 50_000, length: 100_000)
        _ = scene.arrived(3, 512)
        // The new request has its lead: both older ones read on, the first from behind the 64 bytes that it has.
        #expect(
            scene.arrived(3, 512)
                == [
                    "respond r3 512", "pull f3 512", "read f4 30000... pinned", "pull f4 512",
                    "read f5 64... pinned", "pull f5 448",
                ]
        )
        _ = scene.opened(4, at: 30_000, length: 100_000)
        #expect(scene.arrived(4, 512) == ["respond r2 512"])
        #expect(scene.releases(2, 512) == ["pull f4 512"])
    }

    @Test("a newer request to the end goes first, until it has its lead")
    func newestFirst() {
        var scene = ServerScene.begun(length: 100_000)
        _ = scene.asks(1, 0, 100_000, toTheEnd: true)
        #expect(
            scene.asks(2, 50_000, 50_000, toTheEnd: true)
                == ["read f2 50000... pinned", "pull f2 512", "drop f1"]
        )
        #expect(scene.opened(2, at: 50_000, length: 100_000).isEmpty)
        #expect(scene.arrived(2, 512) == ["respond r2 512", "pull f2 512"])
        #expect(
            scene.arrived(2, 512)
                == ["respond r2 512", "pull f2 512", "read f3 64... pinned", "pull f3 448"]
        )
    }

    @Test("an older request goes on when the newer one has ended")
    func olderGoesOn() {
        var scene = ServerScene.begun(length: 100_000)
        _ = scene.asks(1, 0, 100_000, toTheEnd: true)
        _ = scene.asks(2, 50_000, 50_000, toTheEnd: true)
        #expect(scene.cancels(2) == ["drop f2", "read f3 64... pinned", "pull f3 512"])
    }

    @Test("a request for a short range does not make others wait")
    func spans() {
        var scene = ServerScene.begun(length: 100_000)
        _ = scene.asks(1, 0, 100_000, toTheEnd: true)
        #expect(scene.asks(2, 50_000, 100) == ["read f2 50000..<50100 pinned", "pull f2 100"])
        #expect(scene.arrived(1, 512) == ["respond r1 512", "pull f1 512"])
    }

    @Test("one request too many ends the oldest request that reads to the end")
    func crowd() {
        var limits = ServerScene.limits
        limits.requests = 2
        var scene = ServerScene.begun(length: 100_000, limits)
        _ = scene.asks(1, 0, 100_000, toTheEnd: true)
        _ = scene.asks(2, 50_000, 100)
        #expect(
            scene.asks(3, 60_000, 100)
                == ["drop f1", "fail r1 cancelled", "read f3 60000..<60100 pinned", "pull f3 100"]
        )
    }
}
