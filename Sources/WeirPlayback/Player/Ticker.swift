// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirLive
internal import WeirSource

/// Brings what is shown up to date, several times a second.
struct Ticker {
    /// Every so many ticks the cache is asked what it holds.
    private static let ticksOfAvailability = 10

    private let core: PlayerCore
    private let run: PlayerRun

    init(_ core: PlayerCore, _ run: PlayerRun) {
        self.core = core
        self.run = run
    }

    /// Ticks until the task is cancelled.
    func tick() async {
        var count = 0
        while !Task.isCancelled {
            var look = PlayerLook()
            if let listener = self.run.listener {
                look.behindLive = listener.behindLive
                look.rewindable = listener.rewindable
            } else if count % Self.ticksOfAvailability == 0 {
                look.heldFractions = self.core.heldFractions(self.run)
            }
            self.core.tick(self.run, look: look)
            count += 1
            try? await self.core.timeline.sleep(self.core.options.tick)
        }
    }
}
