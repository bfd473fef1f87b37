// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AVFoundation)
import AVFoundation
import Weir
import WeirAVFoundation

/// Plays a medium; AVPlayer asks Weir for its bytes.
@MainActor
func play(_ media: Media) async throws -> AVPlayer {
    let player = AVPlayer(playerItem: try await AVPlayerItem(media: media))
    player.play()
    return player
}
#endif
