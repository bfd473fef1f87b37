// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirLive
import WeirPlayback

/// Something that happened in a player, as `weir play --json` prints it: one object a line.
///
/// `event` says what it is: `state`, `item`, `failed`, `format`, `title`, `concealed`, `trouble`, `station`, `recording`, `note`.
/// Fields that have nothing to say are left out. Times are seconds from the beginning of the item; of a station, since
/// it was started.
struct PlayEventJSON: Encodable {
    /// What kind of thing happened.
    var event: String
    /// What it is now.
    ///
    /// `state`: as in `PlayerState`. `station`: `idle`, `connecting`, `live`, `waiting`, `ended`. `recording`: `began`,
    /// `ended`, `failed`.
    var state: String?
    /// Why it is so.
    ///
    /// `state`: why, as in `StopReason`. `failed`, `station`: the code of the failure or the loss.
    var reason: String?
    /// A sentence for a person: the failure, the loss, the trouble, the note.
    var message: String?
    /// Where it is heard, in seconds.
    var position: Double?
    /// How many frames were given to the sink before it, since the start.
    var sample: Int64?
    /// The item, from 0.
    var item: Int?
    /// How many items there are.
    var items: Int?
    /// How the item is called.
    var name: String?
    /// What the item's tags or the station say; `null` would be nothing: the field is left out then.
    var title: String?
    var artist: String?
    var album: String?
    /// `format`: how it is coded, and what decoding gives.
    var codec: String?
    var sampleRate: Int?
    var channels: Int?
    var bitsPerSecond: Int?
    /// `state`, with `playing`: how long the item is, and whether that is `exact`, `declared` or `estimated`.
    var duration: Double?
    var durationCertainty: String?
    /// `state`: how much sound is at hand, in seconds, and how much is wanted before the sound goes on.
    var buffered: Double?
    var bufferTarget: Double?
    /// `state`: how often the sound ran dry.
    var underruns: Int?
    /// `station`: how long it waits before it asks again, in seconds.
    var delay: Double?
    /// `station`: how many attempts in a row brought no sound, and how many connections there were before.
    var attempt: Int?
    var reconnects: Int?
    /// `recording`: the file and its size.
    var file: String?
    var bytes: Int64?
    /// `trouble`: where in the item's bytes.
    var offset: Int64?

    private init(_ event: String) { self.event = event }

    /// A note: what is not from the player itself.
    init(note: String) {
        self.init("note")
        self.message = note
    }

    /// What happened.
    ///
    /// - Parameters:
    ///   - event: from the player.
    ///   - snapshot: the player when it was told.
    init(_ event: PlayerEvent, _ snapshot: PlayerSnapshot) {
        switch event {
        case .stateChanged(let state, let reason, let failure):
            self.init("state")
            self.state = state.rawValue
            self.reason = reason.rawValue
            self.message = failure?.message
            self.position = Self.seconds(snapshot.position)
            self.item = snapshot.itemIndex
            self.duration = snapshot.duration.map(Self.seconds)
            self.durationCertainty = snapshot.durationCertainty?.rawValue
            self.buffered = Self.seconds(snapshot.buffered)
            self.bufferTarget = Self.seconds(snapshot.bufferTarget)
            self.underruns = snapshot.underruns
        case .itemStarted(let index, let name):
            self.init("item")
            self.item = index
            self.items = snapshot.itemNames.count
            self.name = name
        case .itemFailed(let index, let failure):
            self.init("failed")
            self.item = index
            self.reason = failure.code.description
            self.message = failure.message
        case .formatChanged(let format, let pcm, let position):
            self.init("format")
            self.codec = format.codec.word
            self.sampleRate = pcm.sampleRate
            self.channels = pcm.channelCount
            self.bitsPerSecond = format.bitRate?.bitsPerSecond
            self.position = Self.seconds(position)
        case .titleChanged(let title, let artist, let album, let position, let sample):
            self.init("title")
            (self.title, self.artist, self.album) = (title, artist, album)
            self.position = Self.seconds(position)
            self.sample = sample
        case .concealed(let error, let position):
            self.init("concealed")
            self.message = error.message
            self.position = Self.seconds(position)
        case .trouble(let trouble):
            self.init("trouble")
            self.message = trouble.kind.description
            self.offset = trouble.range.lowerBound
            self.bytes = trouble.range.upperBound - trouble.range.lowerBound
        case .stationChanged(let status): self.init(status)
        }
    }

    /// What a recording did.
    init(_ event: RecordingEvent) {
        self.init("recording")
        switch event {
        case .began(let path, let title):
            (self.state, self.file, self.title) = ("began", path, title)
        case .ended(let path, let title, let count):
            (self.state, self.file, self.title, self.bytes) = ("ended", path, title, count)
        case .failed(let sentence): (self.state, self.message) = ("failed", sentence)
        }
    }

    private init(_ status: StationStatus) {
        self.init("station")
        switch status.phase {
        case .idle: self.state = "idle"
        case .connecting: self.state = "connecting"
        case .live: self.state = "live"
        case .waiting(let delay):
            self.state = "waiting"
            self.delay = Self.seconds(delay)
        case .ended: self.state = "ended"
        }
        self.reason = status.reason?.code.description
        self.message = status.reason?.message
        self.attempt = status.attempt
        self.reconnects = status.reconnects
        self.name = status.info?.headers.name
    }

    /// Seconds to the microsecond.
    private static func seconds(_ time: Duration) -> Double {
        (time / .microseconds(1)).rounded() / 1_000_000
    }
}
