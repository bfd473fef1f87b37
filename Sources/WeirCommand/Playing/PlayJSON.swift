// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirLive
import WeirPlayback

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Events of a player, as `weir play --json` prints them: one object a line.
///
/// `event` gives the kind of the event: `state`, `item`, `failed`, `format`, `title`, `concealed`, `trouble`,
/// `skipped`, `station`, `recording`, `note`. Fields without a value are left out. Times are in seconds from the
/// beginning of the item or, for a station, from its start. `message` is a sentence for a person. `index` counts from
/// 0. `sample` counts the frames that the sink received before the event, since the start.
extension JSON {
    /// A message of Weir that belongs to no event.
    init(note: String) {
        self = ["event": "note", "message": note]
    }

    /// An event, with the player's state at that time.
    ///
    /// `stopper` is the reason for a stop that no key caused: `length` or `signal`.
    init(_ event: PlayerEvent, _ snapshot: PlayerSnapshot, stoppedBy stopper: String? = nil) {
        switch event {
        case .stateChanged(let state, let reason, let failure):
            self = [
                "event": "state", "state": state.rawValue,
                "reason": reason == .user ? stopper ?? reason.rawValue : reason.rawValue,
                "message": failure?.ownerMessage, "position": Self.seconds(snapshot.position),
                // Whether the position is exact or approximate.
                "positionPrecision": snapshot.positionPrecision.rawValue,
                "index": snapshot.itemIndex, "duration": snapshot.duration.map(Self.seconds),
                // Whether the duration is exact, declared or estimated.
                "durationCertainty": snapshot.durationCertainty?.rawValue,
                // The duration of the buffered sound, and the duration at which playback resumes.
                "buffered": Self.seconds(snapshot.buffered),
                "bufferTarget": Self.seconds(snapshot.bufferTarget),
                "underruns": snapshot.underruns,
            ]
        case .itemStarted(let index, let name):
            self = [
                "event": "item", "index": index, "count": snapshot.itemNames.count, "item": name,
            ]
        case .itemFailed(let index, let failure):
            self = [
                "event": "failed", "index": index, "reason": failure.code.description,
                "message": failure.ownerMessage,
            ]
        case .formatChanged(let format, let pcm, let position):
            self = [
                "event": "format", "codec": format.codec.word, "sampleRate": pcm.sampleRate,
                "channels": pcm.channelCount, "bitsPerSecond": format.bitRate?.bitsPerSecond,
                "position": Self.seconds(position),
            ]
        case .titleChanged(let title, let artist, let album, let position, let sample):
            self = [
                "event": "title", "title": title, "artist": artist, "album": album,
                "position": Self.seconds(position),
                "positionPrecision": snapshot.positionPrecision.rawValue, "sample": sample,
            ]
        case .concealed(let error, let position):
            self = [
                "event": "concealed", "message": error.message, "position": Self.seconds(position),
            ]
        case .trouble(let trouble):
            self = [
                "event": "trouble", "message": trouble.kind.description,
                "offset": trouble.range.lowerBound,
                "bytes": trouble.range.upperBound - trouble.range.lowerBound,
            ]
        case .skipped(let time, let position):
            self = [
                "event": "skipped", "seconds": Self.seconds(time),
                "position": Self.seconds(position),
            ]
        case .stationChanged(let status): self.init(status)
        case .missed(let count): self.init(note: PlainLines.missed(count))
        }
    }

    /// An event of a recording: the file, its title and its size.
    init(_ event: RecordingEvent) {
        switch event {
        case .began(let file, let title):
            self = [
                "event": "recording", "state": "began", "file": file.path(percentEncoded: false),
                "title": title,
            ]
        case .ended(let file, let title, let count):
            self = [
                "event": "recording", "state": "ended", "file": file.path(percentEncoded: false),
                "title": title, "bytes": count,
            ]
        case .failed(let sentence):
            self = ["event": "recording", "state": "failed", "message": sentence]
        case .missed(let count): self.init(note: PlainLines.missed(count))
        }
    }

    private init(_ status: StationStatus) {
        var wait: Duration?
        if case .waiting(let delay) = status.phase { wait = delay }
        let state =
            switch status.phase {
            case .idle: "idle"
            case .connecting: "connecting"
            case .live: "live"
            case .waiting: "waiting"
            case .ended: "ended"
            }
        self = [
            "event": "station", "state": state,
            // The time until the next attempt.
            "delay": wait.map(Self.seconds), "reason": status.reason?.code.description,
            "message": status.reason?.ownerMessage,
            // The number of failed attempts in a row, and the number of earlier connections.
            "attempt": status.attempt, "reconnects": status.reconnects,
            "name": status.info?.headers.name,
        ]
    }

    /// Seconds to the microsecond.
    private static func seconds(_ time: Duration) -> Double {
        (time / .microseconds(1)).rounded() / 1_000_000
    }
}
