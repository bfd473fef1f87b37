// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if WEIR_STUBS
import AVFoundation
import Foundation
import Testing
import WeirSource
import WeirTestKit

@testable import WeirAVFoundation

@Suite("A player of a byte source that stalls", .timeLimit(.minutes(1)))
@MainActor
struct StallTests {
    /// A player that consumes nothing, so that it does not reach its end during the test.
    private func player() async throws -> AVPlayer {
        let player = try await AVPlayer(media: TypedSource(try Movie.indexInFront.origin()))
        player.currentItem?.stubPacing.pace = .granted
        return player
    }

    /// Waits until the player plays at a rate; a player's notifications are handled one after the other.
    private func wait(for rate: Float, of player: AVPlayer) async throws {
        while player.rate != rate {
            try Task.checkCancellation()
            await Task.yield()
        }
    }

    @Test("does not wait on its own, and plays on when it has enough bytes")
    func resumes() async throws {
        let player = try await self.player()
        #expect(player.resumesAfterStalls)
        #expect(!player.automaticallyWaitsToMinimizeStalling)
        player.rate = 1.5
        player.stubSupply(false)
        #expect(player.rate == 0)
        player.stubSupply(true)
        try await self.wait(for: 1.5, of: player)
    }

    @Test("a pause by the application or the system lasts through a stall")
    func paused() async throws {
        let player = try await self.player()
        for reason in [AVPlayer.RateDidChangeReason.setRateCalled, .audioSessionInterrupted] {
            player.play()
            player.stubSetRate(0, because: reason)
            player.stubSupply(false)
            player.stubSupply(true)
            // The player handles the notifications of the stall above before those of the next stall.
            player.play()
            player.stubSupply(false)
            player.stubSupply(true)
            try await self.wait(for: 1, of: player)
            player.pause()
            #expect(player.rate == 0)
        }
    }

    @Test("gets AVPlayer's own waiting back, and is not resumed after a stall")
    func off() async throws {
        let player = try await self.player()
        player.play()
        player.resumesAfterStalls = false
        #expect(player.automaticallyWaitsToMinimizeStalling)
        player.stubSupply(false)
        player.stubSupply(true)
        for _ in 0..<1_000 { await Task.yield() }
        #expect(player.rate == 0)
    }
}
#endif
