// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

extension Inspection {
    /// All of it, as `weir inspect --json` prints it.
    var json: JSON {
        .fields([
            "thing": .text(self.name),
            "bytes": self.bytes.map(JSON.integer),
            "mediaType": self.mediaType.map(JSON.text),
            "container": self.container.map(JSON.text),
            "agreeingFrames": .number(self.agreeingFrames),
            "formats": .list(self.formats.map(Self.json)),
            "packets": self.packets.json,
            "tags": .list(self.tags.map(Self.json)),
            "troubles": .list(self.troubles.map(Self.json)),
            "troubleCount": .number(self.troubleCount),
            "playlist": self.playlist.map(Self.json),
            "isComplete": .flag(self.isComplete),
        ])
    }

    private static func json(_ format: AudioFormat) -> JSON {
        var objectType: Int?
        if case .aac(let type) = format.codec { objectType = type }
        return .fields([
            "section": .number(format.section),
            "codec": .text(format.codec.word),
            "objectType": objectType.map { .number($0) },
            "sampleRate": .number(format.sampleRate),
            "channels": format.channelCount.map { .number($0) },
            "bitsPerSample": format.bitsPerSample.map { .number($0) },
            "samplesPerPacket": format.samplesPerPacket.map { .number($0) },
            "bitRate": format.bitRate.map {
                .fields([
                    "bitsPerSecond": .number($0.bitsPerSecond), "kind": .text($0.kind.rawValue),
                ])
            },
            "duration": format.duration.map {
                .fields([
                    "samples": .integer($0.samples.rawValue),
                    "seconds": .decimal($0.samples.seconds(sampleRate: format.sampleRate)),
                    "certainty": .text($0.certainty.rawValue),
                ])
            },
            "trim": format.trim.map {
                .fields([
                    "leading": .integer($0.leading.rawValue),
                    "trailing": ($0.trailing?.rawValue).map(JSON.integer),
                ])
            },
            // In dB.
            "outputGain": format.gain.map(JSON.decimal),
            "mayDecodeToDoubleRate": .flag(format.mayDecodeToDoubleRate),
            "configuration": .text(PacketLine.hexadecimal(format.configuration)),
        ])
    }

    private static func json(_ tags: AudioTags) -> JSON {
        .fields([
            "kind": .text(tags.kind.rawValue),
            "offset": .integer(tags.range.lowerBound),
            "size": .integer(tags.range.upperBound - tags.range.lowerBound),
            "fields": .list(
                tags.fields.map {
                    .fields(["name": .text($0.name), "values": .list($0.values.map(JSON.text))])
                }
            ),
            "pictures": .list(
                tags.pictures.map {
                    .fields([
                        "kind": .number($0.kind),
                        "mediaType": .text($0.mediaType),
                        "description": .text($0.description),
                        "bytes": .number($0.data.count),
                        "md5": .text(PacketLine.digest($0.data)),
                    ])
                }
            ),
            "chapters": .list(
                tags.chapters.map {
                    .fields([
                        "startMilliseconds": .number($0.startMilliseconds),
                        "endMilliseconds": $0.endMilliseconds.map { .number($0) },
                        "title": .text($0.title),
                    ])
                }
            ),
        ])
    }

    private static func json(_ trouble: AudioStreamTrouble) -> JSON {
        .fields([
            "kind": .text(trouble.kind.description),
            "offset": .integer(trouble.range.lowerBound),
            "size": .integer(trouble.range.upperBound - trouble.range.lowerBound),
        ])
    }

    private static func json(_ playlist: Playlist) -> JSON {
        .fields([
            "kind": .text(playlist.kind.rawValue),
            "entries": .list(
                playlist.entries.map {
                    .fields([
                        "location": .text($0.location),
                        "title": $0.title.map(JSON.text),
                        "seconds": $0.seconds.map { .number($0) },
                    ])
                }
            ),
        ])
    }
}

extension Inspection.Packets {
    fileprivate var json: JSON {
        .fields([
            "count": .number(self.count),
            "bytes": .integer(self.bytes),
            "smallest": self.smallest.map { .number($0) },
            "largest": self.largest.map { .number($0) },
            "samples": .integer(self.samples),
            "heardSamples": .integer(self.heardSamples),
        ])
    }
}

extension AudioFormat {
    /// In dB; `nil` for none.
    var gain: Double? { self.outputGain == 0 ? nil : Double(self.outputGain) / 256 }
}
