// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio

/// What a player shows of what is heard, and decides nothing with.
struct PlayerFace: Sendable {
    /// A state, and why.
    struct Said: Hashable, Sendable {
        let state: PlayerState
        let reason: StopReason

        init(_ state: PlayerState, _ reason: StopReason) {
            self.state = state
            self.reason = reason
        }
    }

    var volume = 1.0
    var isMuted = false
    var index: Int?
    var name = ""
    var isLive = false
    var title = PlayerTitle()
    var format: AudioFormat?
    var pcm: PCMFormat?
    var level = AudioLevel()
    var concealed = 0
    var look = PlayerLook()
    /// State and reason as they were told last.
    var said: Said?

    var duration: Duration? {
        guard let format, let duration = format.duration, !self.isLive else { return nil }
        return .seconds(max(0, duration.samples.seconds(sampleRate: max(1, format.sampleRate))))
    }

    /// Something begins: an item that was not heard before shows nothing of the one before.
    mutating func begin(_ place: PlayerPlace, _ items: [PlayerItem]) {
        self.look = PlayerLook()
        self.level = AudioLevel()
        guard items.indices.contains(place.index) else { return }
        let item = items[place.index]
        if self.index != place.index || self.name != item.name { self.forget() }
        self.index = place.index
        self.name = item.name
        if case .station = item.content { self.isLive = true } else { self.isLive = false }
    }

    /// Another item is heard.
    mutating func item(_ item: QueuedItem) {
        if self.index != item.index || self.name != item.name {
            self.forget()
            self.look = PlayerLook()
        }
        self.index = item.index
        self.name = item.name
        self.isLive = item.isLive
    }

    /// A format has come that nobody hears yet.
    mutating func foresee(_ format: AudioFormat) {
        if self.format == nil { self.format = format }
    }

    private mutating func forget() {
        self.title = PlayerTitle()
        self.format = nil
        self.pcm = nil
    }

    /// What is shown.
    var snapshot: PlayerSnapshot {
        var snapshot = PlayerSnapshot()
        snapshot.itemIndex = self.index
        snapshot.isLive = self.isLive
        snapshot.duration = self.duration
        snapshot.durationCertainty = self.duration == nil ? nil : self.format?.duration?.certainty
        snapshot.heldFractions = self.look.heldFractions ?? []
        snapshot.title = self.title.title
        snapshot.artist = self.title.artist
        snapshot.album = self.title.album
        snapshot.format = self.format
        snapshot.pcm = self.pcm
        snapshot.level = self.level
        snapshot.volume = self.volume
        snapshot.isMuted = self.isMuted
        snapshot.concealedPackets = self.concealed
        snapshot.station = self.look.station
        snapshot.behindLive = self.look.behindLive
        snapshot.rewindable = self.look.rewindable
        return snapshot
    }
}
