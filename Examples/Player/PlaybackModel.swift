// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import AVFoundation
import Observation
import PlayerModel
import Weir
import WeirAVFoundation

/// One medium in a player: its position, its duration, its held parts, and the reason of a failure.
@MainActor
@Observable
final class PlaybackModel {
    /// The name of the medium.
    let display: String
    /// The model of the medium, with its held parts.
    let model: MediaModel
    /// The player; `nil` until the first bytes of the medium show its type.
    private(set) var player: AVPlayer?
    /// The position in seconds.
    private(set) var time = 0.0
    /// The duration in seconds; 0 while it is unknown.
    private(set) var duration = 0.0
    /// A sentence for the listener; `nil` while there is no failure.
    private(set) var message: String?

    /// The count of running seeks: until the last one has ended, the player still reports the old
    /// position.
    private var seekCount = 0

    init(_ media: Media) {
        self.model = MediaModel(media)
        self.display = media.display
    }

    /// The position as a fraction, from 0 to 1.
    var fraction: Double { self.duration > 0 ? self.time / self.duration : 0 }

    /// Plays until the calling task is cancelled.
    func play() async {
        do {
            #if os(iOS)
            try AVAudioSession.sharedInstance().setCategory(.playback)
            #endif
            let player = try await AVPlayer(media: self.model.media)
            self.player = player
            player.play()
            let events = player.currentItem?.mediaEvents()
            await withTaskGroup(of: Void.self) { group in
                group.addTask { await self.followTime() }
                if let events { group.addTask { await self.follow(events) } }
            }
            player.pause()
        } catch {
            self.message = ErrorSentence.text(of: error)
        }
    }

    /// Seeks to a position; Weir requests the bytes there first.
    func seek(to fraction: Double) async {
        self.time = fraction * self.duration
        self.seekCount += 1
        defer { self.seekCount -= 1 }
        _ = await self.player?.seek(to: CMTime(seconds: self.time, preferredTimescale: 600))
    }

    /// Pauses the player, or resumes it.
    func toggle() {
        guard let player else { return }
        if player.timeControlStatus == .paused { player.play() } else { player.pause() }
    }

    /// Reads the player's state four times a second.
    private func followTime() async {
        while (try? await Task.sleep(for: .milliseconds(250))) != nil {
            guard let player, let item = player.currentItem else { continue }
            if self.seekCount == 0 { self.time = player.currentTime().seconds }
            self.duration = item.duration.isNumeric ? item.duration.seconds : 0
            // A sentence from Weir, if there is one, says more than the player's error.
            if let error = item.error, self.message == nil {
                self.message = ErrorSentence.text(of: error)
            }
        }
    }

    private func follow(_ events: AsyncStream<MediaAssetEvent>) async {
        for await event in events {
            switch event {
            case .loadedWhole, .missed: continue
            case .failed(let error): self.message = ErrorSentence.text(of: error)
            case .sourceChanged:
                self.message = "The file was changed at its origin; go back and play it again."
            }
        }
    }
}
#endif
