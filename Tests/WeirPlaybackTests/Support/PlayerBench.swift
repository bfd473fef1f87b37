// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirSource
import WeirTestKit

@testable import WeirPlayback

/// A player in virtual time, with a sink that keeps the sound.
struct PlayerBench: Sendable {
    let time: VirtualTime
    let sink: CollectingSink
    let player: Player

    init(
        _ time: VirtualTime,
        isPaced: Bool = true,
        decoders: [any AudioDecoderFactory] = [PCMDecoderFactory()]
    ) {
        self.time = time
        self.sink = CollectingSink(pace: isPaced ? NullSink(clock: time.clock) : nil)
        self.player = Player(
            decoders: decoders,
            sink: self.sink,
            options: PlayerOptions(clock: time.clock, executor: time)
        )
    }

    /// Waits in virtual time.
    func pass(_ duration: Duration) async throws { try await self.time.clock.sleep(for: duration) }

    var now: Duration { self.time.clock.now.offset }

    /// Runs a body and returns the states and reasons that the player reported meanwhile.
    func states(_ body: () async throws -> Void) async throws -> [String] {
        let events = self.player.events()
        try await body()
        // The player reports its events before the body's last wait returns.
        let collected = Task(executorPreference: self.time) {
            var states: [String] = []
            for await event in events {
                guard case .stateChanged(let state, let reason, _) = event else { continue }
                states.append(reason == .none ? "\(state)" : "\(state) [\(reason)]")
                if state == .stopped { break }
            }
            return states
        }
        try await self.pass(.milliseconds(1))
        let states = self.player.snapshot.state == .stopped ? await collected.value : []
        collected.cancel()
        return states.isEmpty ? await collected.value : states
    }

    static func item(_ name: String, _ samples: [Int16], sampleRate: Int = 8000) -> PlayerItem {
        PlayerItem(MemorySource(bytes: WAVBytes.file(samples, sampleRate: sampleRate)), name: name)
    }
}
