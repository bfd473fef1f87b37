// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Observation
import Synchronization
import Testing
import WeirTestKit

@testable import WeirPlayback

@Suite("Watching a player")
struct ObservingTests {
    private static func player() -> Player {
        Player(
            decoders: [PCMDecoderFactory()],
            sink: NullSink(capacity: .milliseconds(20)),
            options: PlayerOptions(tick: .milliseconds(5))
        )
    }

    private static let item = PlayerBench.item("short", WAVBytes.ramp(0..<400))

    @Test("snapshots come on the main actor, and the last is the last")
    @MainActor
    func mainActor() async throws {
        let player = Self.player()
        let (states, continuation) = AsyncStream.makeStream(of: PlayerState.self)
        let observation = player.observe { snapshot in
            MainActor.assertIsolated()
            continuation.yield(snapshot.state)
        }
        player.play([Self.item])
        var last: PlayerState?
        for await state in states {
            last = state
            if state == .stopped { break }
        }
        #expect(last == .stopped)
        observation.cancel()
    }

    @Test("a model changes with its player, and tells its observers")
    @MainActor
    func model() async throws {
        let player = Self.player()
        let model = PlayerModel(player)
        #expect(model.state == .initialized)
        player.play([Self.item])
        while model.state != .stopped {
            let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
            withObservationTracking {
                _ = model.snapshot
            } onChange: {
                continuation.finish()
            }
            for await _ in changes {}
            await Task.yield()
        }
        #expect(model.stopReason == .endOfStream)
        #expect(model.position == .milliseconds(50))
    }

    @Test("no function is called once its observation is dropped")
    @MainActor
    func dropped() async throws {
        let player = Self.player()
        var count = 0
        var observation: PlayerObservation? = player.observe { _ in count += 1 }
        #expect(observation != nil)
        observation = nil
        player.play([Self.item])
        _ = await player.waitUntilStopped()
        await Task.yield()
        #expect(count == 0)
    }

    @Test("another actor is told on itself")
    func otherActor() async throws {
        let watcher = Watcher()
        let player = Self.player()
        let stopped = await watcher.watch(player)
        player.play([Self.item])
        for await _ in stopped {}
        #expect(await watcher.count > 0)
    }

    @Test("a listener that never reads costs no more than the newest")
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

private actor Watcher {
    private(set) var count = 0
    private var observation: PlayerObservation?

    /// A stream that ends when the player has stopped.
    func watch(_ player: Player) -> AsyncStream<Void> {
        let (stopped, continuation) = AsyncStream.makeStream(of: Void.self)
        self.observation = player.observe(on: self) { snapshot in
            self.assertIsolated()
            self.count += 1
            if snapshot.state == .stopped { continuation.finish() }
        }
        return stopped
    }
}
