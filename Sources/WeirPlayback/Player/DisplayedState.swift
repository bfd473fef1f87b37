// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirLive

/// The part of a snapshot that the machine and the ledger do not have; no decision depends on it.
struct DisplayedState: Sendable {
    var volume = 1.0
    var isMuted = false
    /// The item that is heard, or was heard last.
    private(set) var item: ItemID?
    private(set) var isLive = false
    var title = PlayerTitle()
    var format: AudioFormat?
    var pcm: PCMFormat?
    var level = AudioLevel()
    var concealed = 0
    var station: StationStatus?
    /// The last reported state, reason and error.
    var told: (PlayerState, StopReason, PlayerFailure?)?

    var heldFractions: [ClosedRange<Double>]?
    /// The last look at a station's live end.
    ///
    /// It has the live end's time, the listener's distance behind it, and how far back the listener
    /// could go.
    var live: (time: Duration, behind: Duration, rewindable: Duration)?

    /// The gain of the sound.
    var gain: Float { self.isMuted ? 0 : Float(self.volume) }

    var duration: Duration? {
        guard let format, let duration = format.duration, !self.isLive else { return nil }
        return .seconds(max(0, duration.samples.seconds(sampleRate: max(1, format.sampleRate))))
    }

    /// A run begins; if its item was not heard before, the facts about the last item are cleared.
    mutating func begin(_ start: StartPoint, _ items: ItemList) {
        self.forgetSource()
        self.level = AudioLevel()
        guard items.indices.contains(start.index) else { return }
        let entry = items.entries[start.index]
        if self.item != entry.id { self.forgetSound() }
        self.item = entry.id
        if case .station = entry.item.content { self.isLive = true } else { self.isLive = false }
    }

    /// Another item is heard.
    mutating func show(_ item: QueuedItem) {
        if self.item != item.id {
            self.forgetSound()
            self.forgetSource()
        }
        self.item = item.id
        self.isLive = item.isLive
    }

    private mutating func forgetSource() {
        self.station = nil
        self.heldFractions = nil
        self.live = nil
    }

    private mutating func forgetSound() {
        self.title = PlayerTitle()
        self.format = nil
        self.pcm = nil
    }

    /// A snapshot of the displayed facts; its other parts have their defaults.
    var snapshot: PlayerSnapshot {
        var snapshot = PlayerSnapshot()
        snapshot.isLive = self.isLive
        snapshot.duration = self.duration
        snapshot.durationCertainty = self.duration == nil ? nil : self.format?.duration?.certainty
        snapshot.heldFractions = self.heldFractions ?? []
        snapshot.title = self.title.title
        snapshot.artist = self.title.artist
        snapshot.album = self.title.album
        snapshot.format = self.format
        snapshot.pcm = self.pcm
        snapshot.level = self.level
        snapshot.volume = self.volume
        snapshot.isMuted = self.isMuted
        snapshot.concealedPackets = self.concealed
        snapshot.station = self.station
        snapshot.rewindable = self.isLive ? self.live?.rewindable : nil
        return snapshot
    }
}
