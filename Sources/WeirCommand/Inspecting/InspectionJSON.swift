// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirLive

extension Inspection {
    /// All findings, as `weir inspect --json` prints them.
    var json: JSON {
        [
            "event": "inspected", "thing": self.name, "bytes": self.bytes,
            "mediaType": self.mediaType,
            "container": self.container, "agreeingFrames": self.agreeingFrames,
            "formats": self.formats.map(Self.json), "packets": self.packets.json,
            "tags": self.tags.map(Self.json), "troubles": self.troubles.map(Self.json),
            "troubleCount": self.troubleCount, "playlist": self.playlist.map(Self.json),
            "isComplete": self.isComplete, "isCutShort": self.isCutShort,
            "station": self.station.map(Self.json),
        ]
    }

    private static func json(_ station: Station) -> JSON {
        let headers = station.info?.headers
        return [
            "url": station.address, "name": headers?.name, "genre": headers?.genre,
            "description": headers?.description, "page": headers?.url,
            "bitsPerSecond": headers?.bitsPerSecond,
        ]
    }

    private static func json(_ format: AudioFormat) -> JSON {
        var objectType: Int?
        if case .aac(let type) = format.codec { objectType = type }
        let bitRate = format.bitRate.map { rate -> JSON in
            ["bitsPerSecond": rate.bitsPerSecond, "kind": rate.kind.rawValue]
        }
        let duration = format.duration.map { duration -> JSON in
            [
                "samples": duration.samples.rawValue,
                "seconds": duration.samples.seconds(sampleRate: format.sampleRate),
                "certainty": duration.certainty.rawValue,
            ]
        }
        let trim = format.trim.map { trim -> JSON in
            ["leading": trim.leading.rawValue, "trailing": trim.trailing?.rawValue]
        }
        return [
            "section": format.section, "codec": format.codec.word, "objectType": objectType,
            "sampleRate": format.sampleRate, "channels": format.channelCount,
            "bitsPerSample": format.bitsPerSample, "samplesPerPacket": format.samplesPerPacket,
            "bitRate": bitRate, "duration": duration, "trim": trim,
            // In dB.
            "outputGain": format.gain,
            "mayDecodeToDoubleRate": format.mayDecodeToDoubleRate,
            "configuration": PacketLine.hexadecimal(format.configuration),
        ]
    }

    private static func json(_ tags: AudioTags) -> JSON {
        let fields = tags.fields.map { field -> JSON in
            ["name": field.name, "values": field.values]
        }
        let pictures = tags.pictures.map { picture -> JSON in
            [
                "kind": picture.kind, "mediaType": picture.mediaType,
                "description": picture.description, "bytes": picture.data.count,
                "md5": PacketLine.digest(picture.data),
            ]
        }
        let chapters = tags.chapters.map { chapter -> JSON in
            [
                "startMilliseconds": chapter.startMilliseconds,
                "endMilliseconds": chapter.endMilliseconds, "title": chapter.title,
            ]
        }
        return [
            "kind": tags.kind.rawValue, "offset": tags.range.lowerBound,
            "bytes": tags.range.upperBound - tags.range.lowerBound,
            "fields": fields, "pictures": pictures, "chapters": chapters,
        ]
    }

    private static func json(_ trouble: AudioStreamFailure) -> JSON {
        [
            "kind": trouble.kind.description, "offset": trouble.range.lowerBound,
            "bytes": trouble.range.upperBound - trouble.range.lowerBound,
        ]
    }

    private static func json(_ playlist: Playlist) -> JSON {
        let entries = playlist.entries.map { entry -> JSON in
            ["location": entry.location, "title": entry.title, "seconds": entry.seconds]
        }
        return [
            "kind": playlist.kind.rawValue, "entries": entries, "isCut": playlist.isCut,
        ]
    }
}

extension Inspection.Packets {
    fileprivate var json: JSON {
        [
            "count": self.count, "bytes": self.bytes, "smallest": self.smallest,
            "largest": self.largest, "samples": self.samples, "heardSamples": self.heardSamples,
        ]
    }
}

extension AudioFormat {
    /// The gain in dB; `nil` for no gain.
    var gain: Double? { self.outputGain == 0 ? nil : Double(self.outputGain) / 256 }
}
