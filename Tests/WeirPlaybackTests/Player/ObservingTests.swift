// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Observation
import Testing
import WeirTestKit

@testable import WeirPlayback

@Suite("Observing a player")
struct ObservingTests {
    private static func player() -> Player {
        Player(
            decoders: [PCMDecoderFactory()],
            sink: NullSink(capacity: .milliseconds(20)),
            options: PlayerOptions(tick: .milliseconds(5))
        )
    }

    private static let item = PlayerBench.item("short", WAVBytes.ramp(0..<400))

    @Test("a model changes with its player, and notifies its observers")
    @MainActor
    func model() async throws {
        let player = Self.player()
        let model = PlayerModel(player)
        #expect(model.snapshot.state == .initialized)
        player.play([Self.item])
        while model.snapshot.state != .stopped {
            let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
            withObservationTracking {
                _ = model.snapshot
            } onChange: {
                continuation.finish()
            }
            for await _ in changes {}
            await Task.yield()
        }
        #expect(model.snapshot.stopReason == .endOfStream)
        #expect(model.snapshot.position == .milliseconds(50))
    }

    @Test("a player plays on when its model is dropped")
    @MainActor
    func droppedModel() async throws {
        let player = Self.player()
        var model: PlayerModel? = PlayerModel(player)
        weak let watched = model
        #expect(model != nil)
        model = nil
        #expect(watched == nil)
        player.play([Self.item])
        #expect(await player.waitUntilStopped().stopReason == .endOfStream)
    }

    @Test("errors are sentences in every form that Swift asks for")
    func sentences() {
        let failure: any Error = PlayerFailure(.source, "The origin has gone.")
        #expect(failure.localizedDescription == "The origin has gone.")
        let error: any Error = AudioError(.unavailable, "There is no device.")
        #expect(error.localizedDescription == "There is no device.")
        #expect("\(error)" == "There is no device.")
    }

    @Test("a listener that never reads costs no more memory than the newest events")
    func neverRead() async throws {
        let time = VirtualTime()
        try await time.run {
            let bench = PlayerBench(time)
            let streams = (0..<50).map { _ in (bench.player.snapshots(), bench.player.events()) }
            bench.player.play([PlayerBench.item("a minute", WAVBytes.ramp(0..<480_000))])
            #expect(await bench.player.waitUntilStopped().stopReason == .endOfStream)
            for (snapshots, _) in streams {
                var iterator = snapshots.makeAsyncIterator()
                #expect(await iterator.next()?.state == .stopped)
            }
        }
    }
}
