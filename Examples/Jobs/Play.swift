// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFoundation)
import AVFoundation
import Weir
import WeirAVFoundation

/// Plays a medium; AVPlayer asks Weir for its bytes.
@MainActor
func play(_ media: Media) async throws -> AVPlayer {
    let player = try await AVPlayer(media: media)
    player.play()
    return player
}
#endif
