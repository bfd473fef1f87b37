// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirLive

/// The known facts about a stream.
struct Inspection {
    /// The totals of the packets.
    struct Packets {
        var count = 0
        var bytes: Int64 = 0
        var smallest: Int?
        var largest: Int?
        /// Decoded samples of all packets.
        var samples: Int64 = 0
        /// The samples that are heard, without trimmed ones.
        var heardSamples: Int64 = 0
    }

    /// The known facts about a radio station.
    struct Station {
        /// The name for `weir play`.
        var name: String
        /// Its location, for people.
        var address: String
        /// The station's description of itself; `nil` without a response.
        var info: StationInfo?
    }

    /// How many troubles are kept; further ones are only counted.
    static let maximumTroubles = 100

    /// The name of the medium.
    var name: String
    var bytes: Int64?
    var mediaType: String?
    var container: String?
    /// How many frames in a row agree about the container, if frames identify it.
    var agreeingFrames = 0
    /// The last known format of each section.
    var formats: [AudioFormat] = []
    var packets = Packets()
    var tags: [AudioTags] = []
    var troubles: [AudioStreamFailure] = []
    var troubleCount = 0
    /// The station, if the medium is one.
    var station: Station?
    /// The playlist, if the medium is one.
    var playlist: Playlist?
    /// Whether all bytes were read.
    var isComplete = false
    /// Whether the stream ends before the length in its headers.
    var isCutShort = false
    /// The error that ended the parser.
    var failure: CommandError?

    init(name: String, bytes: Int64?, mediaType: String?) {
        self.name = name
        self.bytes = bytes
        self.mediaType = mediaType
    }

    var hasFindings: Bool {
        !self.formats.isEmpty || !self.tags.isEmpty || self.playlist != nil || self.station != nil
    }

    mutating func add(_ packet: AudioPacket) -> PacketLine {
        let size = packet.payload.count
        let line = PacketLine(
            packet,
            index: self.packets.count,
            sampleRate: self.formats.last { $0.section == packet.section }?.sampleRate ?? 1,
            isCutByContainer: self.container == AudioContainer.ogg.rawValue
                || self.container == AudioContainer.mp4.rawValue
        )
        self.packets.count += 1
        self.packets.bytes += Int64(size)
        self.packets.smallest = min(self.packets.smallest ?? size, size)
        self.packets.largest = max(self.packets.largest ?? size, size)
        self.packets.samples += packet.duration.rawValue
        let trimmed = packet.trimStart + packet.trimEnd
        self.packets.heardSamples += max(0, (packet.duration - trimmed).rawValue)
        return line
    }

    mutating func add(_ event: AudioStreamEvent) {
        switch event {
        case .format(var format):
            // A station has no end, even if a header in its stream has a length.
            if self.station != nil { format.duration = nil }
            if let index = self.formats.firstIndex(where: { $0.section == format.section }) {
                self.formats[index] = format
            } else {
                self.formats.append(format)
            }
        case .tags(let tags): self.tags.append(tags)
        case .trouble(let trouble):
            self.troubleCount += 1
            if self.troubles.count < Self.maximumTroubles { self.troubles.append(trouble) }
        case .packet, .wanted: break
        }
    }
}

extension AudioCodec {
    var word: String {
        switch self {
        case .mpegLayer(let layer): "mp\(layer)"
        // USAC, another codec in the same framing.
        case .aac(42): "xhe-aac"
        case .aac: "aac"
        case .vorbis: "vorbis"
        case .opus: "opus"
        case .flac: "flac"
        case .alac: "alac"
        case .pcm(let layout):
            switch layout.encoding {
            case .aLaw: "pcm_alaw"
            case .muLaw: "pcm_mulaw"
            case .float: "pcm_f\(layout.order)"
            case .signedInteger: "pcm_s\(layout.order)"
            case .unsignedInteger: "pcm_u\(layout.order)"
            }
        case .other(let name): name
        }
    }
}

extension PCMLayout {
    fileprivate var order: String {
        self.bitsPerSample == 8 ? "8" : "\(self.bitsPerSample)\(self.isBigEndian ? "be" : "le")"
    }
}

extension AudioStreamFailure {
    var text: String {
        let size = self.range.upperBound - self.range.lowerBound
        return "at byte \(self.range.lowerBound), \(size) long: \(self.kind.description)"
    }
}
