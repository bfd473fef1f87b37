// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirAVFoundation

@Suite("Failures of the server of loading requests")
struct LoadingFailingTests {
    @Test("a source that ends early is a failure, and never a shorter resource")
    func endedEarly() {
        var scene = ServerScene.begun(length: 1_000)
        _ = scene.asks(1, 0, 1_000, toTheEnd: true)
        #expect(scene.ended(1) == ["fail r1 ended at 64 of 1000", "tell failed truncated"])
    }

    @Test("bytes that arrived before a failure are handed over")
    func failsAfterBytes() {
        var scene = ServerScene.begun(length: 1_000)
        _ = scene.asks(1, 0, 1_000, toTheEnd: true)
        #expect(scene.arrived(1, 10) == ["wait w2 0.02 seconds", "pull f1 502"])
        #expect(
            scene.failed(1, .unreachable)
                == ["respond r1 10", "fail r1 unreachable", "tell failed unreachable"]
        )
        #expect(scene.waited(2).isEmpty)
    }

    @Test("a refused range within the announced length is a failure")
    func refusedRange() {
        var scene = ServerScene.begun(length: 1_000)
        #expect(scene.asks(1, 500, 10) == ["read f2 500..<510 pinned", "pull f2 10"])
        #expect(
            scene.failed(2, .rangeNotSatisfiable)
                == ["fail r1 rangeNotSatisfiable", "tell failed rangeNotSatisfiable"]
        )
    }

    @Test("a failure ends only its own request, and the next request reads again")
    func nextAsksAgain() {
        var scene = ServerScene.begun(length: 1_000)
        _ = scene.asks(1, 500, 10)
        _ = scene.asks(2, 600, 10)
        #expect(scene.failed(2, .timedOut) == ["fail r1 timedOut", "tell failed timedOut"])
        #expect(scene.asks(3, 500, 10) == ["read f4 500..<510 pinned", "pull f4 10"])
    }

    @Test("another version fails every request, now and later")
    func changed() {
        var scene = ServerScene.begun(length: 1_000)
        _ = scene.asks(1, 0, 1_000, toTheEnd: true)
        #expect(
            scene.failed(1, .changed) == ["fail r1 changed", "drop f1", "tell source changed"]
        )
        #expect(scene.asks(2, 0, 2, wantsInformation: true) == ["fail r2 changed"])
    }

    @Test("a reading with another version counts as a change, though the source reports none")
    func changedUnsaid() {
        var scene = ServerScene.begun(length: 1_000)
        _ = scene.asks(1, 500, 10)
        #expect(
            scene.opened(2, at: 500, length: 1_000, version: "b")
                == ["fail r1 changed", "drop f1", "drop f2", "tell source changed"]
        )
    }

    @Test("a reading that starts at a wrong offset is dropped, and its request fails")
    func startedElsewhere() {
        var scene = ServerScene.begun(length: 1_000)
        _ = scene.asks(1, 500, 10)
        #expect(
            scene.opened(2, at: 0, length: 1_000)
                == ["drop f2", "fail r1 badAnswer", "tell failed badAnswer"]
        )
    }

    @Test("when the asset is released all requests end, and later requests are refused")
    func abandoned() {
        var scene = ServerScene.begun(length: 1_000)
        _ = scene.asks(1, 0, 1_000, toTheEnd: true)
        #expect(scene.abandoned() == ["fail r1 cancelled", "drop f1"])
        #expect(scene.abandoned().isEmpty)
        #expect(scene.arrived(1, 10).isEmpty)
        #expect(scene.asks(2, 0, 2) == ["fail r2 cancelled"])
        #expect(scene.prepared().isEmpty)
        #expect(scene.server.heldCount == 0)
    }
}
