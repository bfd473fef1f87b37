// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
import AVFoundation
import Observation
import PlayerModel
import Weir
import WeirAVFoundation

/// One medium in a player: where it is, how long it is, what is held, and why it does not play.
@MainActor
@Observable
final class PlaybackModel {
    /// What the medium is called.
    let display: String
    /// Which parts of the medium are held.
    let model: MediaModel
    /// The player, as soon as the medium's first bytes have told what it is.
    private(set) var player: AVPlayer?
    /// Seconds from the start.
    private(set) var time = 0.0
    /// Seconds in all; 0 while that is unknown.
    private(set) var duration = 0.0
    /// A sentence for the listener; `nil` while all is well.
    private(set) var message: String?

    /// How many seeks are under way: until the last has ended the player's own time is the old one.
    private var seekCount = 0

    init(_ media: Media) {
        self.model = MediaModel(media)
        self.display = media.display
    }

    /// Where the playing is, from 0 to 1.
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

    /// Goes to a place; Weir asks the origin for its bytes first.
    func seek(to fraction: Double) async {
        self.time = fraction * self.duration
        self.seekCount += 1
        defer { self.seekCount -= 1 }
        _ = await self.player?.seek(to: CMTime(seconds: self.time, preferredTimescale: 600))
    }

    /// Pauses, or goes on.
    func toggle() {
        guard let player else { return }
        if player.timeControlStatus == .paused { player.play() } else { player.pause() }
    }

    /// Looks at the player four times a second.
    private func followTime() async {
        while (try? await Task.sleep(for: .milliseconds(250))) != nil {
            guard let player, let item = player.currentItem else { continue }
            if self.seekCount == 0 { self.time = player.currentTime().seconds }
            self.duration = item.duration.isNumeric ? item.duration.seconds : 0
            // Weir's own sentence, if there is one, says more.
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
