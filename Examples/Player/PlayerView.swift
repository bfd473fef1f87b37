// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import AVKit
import SwiftUI
import WeirSwiftUI

/// A medium that plays: the picture, the scrubber, and the failure.
struct PlayerView: View {
    @State private var playback: PlaybackModel

    init(_ playback: PlaybackModel) {
        self._playback = State(initialValue: playback)
    }

    var body: some View {
        VStack {
            if let player = self.playback.player {
                VideoPlayer(player: player)
            } else if self.playback.message == nil {
                ProgressView()
            }
            if let message = self.playback.message {
                Text(message).foregroundStyle(.secondary)
            }
            MediaScrubber(
                position: self.playback.fraction,
                held: HeldSpans(self.playback.model.availability)
            ) { place in
                Task { await self.playback.seek(to: place) }
            }
            Button("Play or pause", systemImage: "playpause", action: self.playback.toggle)
        }
        .padding()
        .task { await self.playback.play() }
    }
}
#endif
