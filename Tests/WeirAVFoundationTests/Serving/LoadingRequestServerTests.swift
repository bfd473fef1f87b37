// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirAVFoundation

@Suite("The server of loading requests")
struct LoadingRequestServerTests {
    @Test(
        "a probe learns the whole length, gets two bytes, and leaves its reading to the next request"
    )
    func probe() {
        var scene = ServerScene()
        #expect(scene.asks(0, 0, 2, wantsInformation: true) == ["read f1 0...", "pull f1 64"])
        #expect(scene.opened(1, length: 1_000) == ["fill r0 public.mp3 1000"])
        #expect(scene.arrived(1, 64) == ["respond r0 2", "finish r0", "wait w1 10.0 seconds"])
        #expect(scene.asks(1, 0, 1_000, toTheEnd: true) == ["respond r1 64", "pull f1 512"])
        #expect(scene.arrived(1, 512) == ["respond r1 512", "pull f1 424"])
        #expect(
            scene.arrived(1, 424)
                == ["respond r1 424", "tell loaded whole", "drop f1", "finish r1"]
        )
    }

    @Test(
        "a request for information alone reads the head, and is answered as soon as a reading is open"
    )
    func informationAlone() {
        var scene = ServerScene()
        #expect(scene.asksForInformation(0) == ["read f1 0...", "pull f1 64"])
        #expect(scene.opened(1, length: 1_000) == ["fill r0 public.mp3 1000", "finish r0"])
        #expect(scene.asksForInformation(1) == ["fill r1 public.mp3 1000", "finish r1"])
    }

    @Test("a request for no bytes is a request for information too")
    func informationWithNoBytes() {
        var scene = ServerScene()
        #expect(scene.asks(0, 500, 0, wantsInformation: true) == ["read f1 0...", "pull f1 64"])
        #expect(scene.opened(1, length: 1_000) == ["fill r0 public.mp3 1000", "finish r0"])
        #expect(scene.asks(1, 500, 0) == ["finish r1"])
    }

    @Test("a request for information fails with the reading that it waits for")
    func informationFails() {
        var scene = ServerScene()
        _ = scene.asks(0, 500, 0, wantsInformation: true)
        _ = scene.asksForInformation(1)
        #expect(
            scene.failed(1, .unreachable)
                == ["fail r0 unreachable", "fail r1 unreachable", "tell failed unreachable"]
        )
    }

    @Test(
        "a type that the player does not accept is a failure, and an accepted name of the type is used"
    )
    func types() {
        var scene = ServerScene()
        let film = ["public.mpeg-4"]
        #expect(
            scene.asks(0, 0, 2, wantsInformation: true, allowed: film)
                == ["read f1 0...", "pull f1 64"]
        )
        #expect(scene.opened(1, length: 1_000) == ["fail r0 type not allowed"])
        var other = ServerScene()
        _ = other.asks(0, 0, 2, wantsInformation: true, allowed: film)
        #expect(other.opened(1, length: 1_000, type: .mp4Audio) == ["fill r0 public.mpeg-4 1000"])
    }

    @Test("a cancelled request drops its reading, and later events of that reading are ignored")
    func cancelled() {
        var scene = ServerScene.begun(length: 1_000)
        #expect(scene.asks(1, 0, 1_000, toTheEnd: true) == ["respond r1 64", "pull f1 512"])
        #expect(scene.cancels(1) == ["drop f1"])
        #expect(scene.arrived(1, 512).isEmpty)
        #expect(scene.ended(1).isEmpty)
        #expect(scene.cancels(1).isEmpty)
        #expect(scene.server.requestCount == 0)
        #expect(scene.server.heldCount == 64)
    }

    @Test("of two requests for the same range, only the cancelled one ends")
    func identity() {
        var scene = ServerScene.begun(length: 1_000)
        #expect(scene.asks(1, 500, 100) == ["read f2 500..<600 pinned", "pull f2 100"])
        #expect(scene.asks(2, 500, 100) == ["read f3 500..<600 pinned", "pull f3 100"])
        #expect(scene.cancels(1) == ["drop f2"])
        #expect(scene.opened(3, at: 500, length: 1_000).isEmpty)
        #expect(scene.arrived(3, 100) == ["respond r2 100", "drop f3", "finish r2"])
    }

    @Test("a request at or past the end is finished without a byte")
    func pastTheEnd() {
        var scene = ServerScene.begun(length: 1_000)
        #expect(scene.asks(1, 1_000, 10) == ["finish r1"])
        #expect(scene.asks(2, 5_000, 10, toTheEnd: true) == ["finish r2"])
        #expect(scene.asks(3, 990, 100) == ["read f2 990..<1000 pinned", "pull f2 10"])
        #expect(scene.opened(2, at: 990, length: 1_000).isEmpty)
        #expect(scene.arrived(2, 10) == ["respond r3 10", "drop f2", "finish r3"])
    }

    @Test("an unknown length is learned at the end, and finishes the waiting request")
    func unknownLength() {
        var scene = ServerScene.begun(length: nil)
        #expect(
            scene.asks(1, 0, .max, toTheEnd: true, wantsInformation: true)
                == ["fill r1 public.mp3 ?", "respond r1 64", "pull f1 512"]
        )
        #expect(scene.arrived(1, 100) == ["respond r1 100", "pull f1 512"])
        #expect(scene.ended(1) == ["tell loaded whole", "finish r1"])
        #expect(scene.asksForInformation(2) == ["fill r2 public.mp3 164", "finish r2"])
        #expect(scene.asks(3, 200, 10) == ["finish r3"])
    }

    @Test("a request past the end of a resource of unknown length is finished")
    func pastAnUnknownEnd() {
        var scene = ServerScene.begun(length: nil)
        #expect(scene.asks(1, 5_000, 10) == ["read f2 5000..<5010 pinned", "pull f2 10"])
        #expect(scene.failed(2, .rangeNotSatisfiable) == ["finish r1"])
    }

    @Test("a request with a reading of its own gets nothing from the head")
    func headAndOwnReading() {
        var scene = ServerScene()
        _ = scene.prepared()
        _ = scene.opened(1, length: 1_000)
        #expect(scene.asks(0, 20, 100) == ["read f2 20..<120 pinned", "pull f2 100"])
        #expect(scene.arrived(1, 64) == ["wait w1 10.0 seconds"])
        #expect(scene.opened(2, at: 20, length: 1_000).isEmpty)
        #expect(scene.arrived(2, 100) == ["respond r0 100", "drop f2", "finish r0"])
    }

    @Test("the reading of the head waits for a request for a limited time")
    func headPatience() {
        var scene = ServerScene()
        #expect(scene.prepared() == ["read f1 0...", "pull f1 64"])
        #expect(scene.prepared().isEmpty)
        #expect(scene.opened(1, length: 1_000).isEmpty)
        #expect(scene.arrived(1, 64) == ["wait w1 10.0 seconds"])
        #expect(scene.waited(1) == ["drop f1"])
        #expect(
            scene.asks(1, 0, 100) == ["respond r1 64", "read f2 64..<100 pinned", "pull f2 36"]
        )
    }

    @Test("a resource that is held whole is reported once")
    func held() {
        var scene = ServerScene.begun(length: 1_000)
        #expect(scene.heldWhole(1_000) == ["tell loaded whole"])
        #expect(scene.heldWhole(1_000).isEmpty)
        #expect(scene.server.isEntirelyHeld)
    }
}
