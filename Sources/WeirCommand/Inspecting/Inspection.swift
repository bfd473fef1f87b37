// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// What is known of a stream, as `weir inspect --json` prints it.
struct Inspection: Encodable {
    /// How many samples and bytes the packets have.
    struct Packets: Encodable {
        var count = 0
        var bytes: Int64 = 0
        var smallest: Int?
        var largest: Int?
        /// Decoded samples of all packets.
        var samples: Int64 = 0
        /// The same without what is trimmed: what is heard.
        var heardSamples: Int64 = 0
    }

    /// How many of the events of one kind are kept; the rest are counted.
    static let maximumTroubles = 100

    var thing: String
    var bytes: Int64?
    var mediaType: String?
    var container: String?
    /// How many frames in a row agreed about the container, where it is told by frames.
    var agreeingFrames = 0
    /// A format a section, as it was known last.
    var formats: [FormatLine] = []
    var packets = Packets()
    var tags: [TagLine] = []
    var troubles: [TroubleLine] = []
    var troubleCount = 0
    /// What a playlist lists.
    var playlist: PlaylistLine?
    /// Whether all bytes were looked at.
    var isComplete = false
    /// Why the parser gave up.
    var failure: CommandError?

    init(thing: String, bytes: Int64?, mediaType: String?) {
        self.thing = thing
        self.bytes = bytes
        self.mediaType = mediaType
    }

    /// Whether there is anything to say.
    var hasFindings: Bool {
        !self.formats.isEmpty || !self.tags.isEmpty || self.playlist != nil
    }

    private enum CodingKeys: CodingKey {
        case thing, bytes, mediaType, container, agreeingFrames, formats, packets, tags, troubles,
            troubleCount,
            playlist, isComplete
    }

    /// Counts a packet.
    ///
    /// - Returns: its line.
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

    /// Notes what is no packet.
    mutating func add(_ event: AudioStreamEvent) {
        switch event {
        case .format(let format):
            let line = FormatLine(format)
            if let index = self.formats.firstIndex(where: { $0.section == format.section }) {
                self.formats[index] = line
            } else {
                self.formats.append(line)
            }
        case .tags(let tags): self.tags.append(TagLine(tags))
        case .trouble(let trouble):
            self.troubleCount += 1
            if self.troubles.count < Self.maximumTroubles {
                self.troubles.append(TroubleLine(trouble))
            }
        case .packet, .wanted: break
        }
    }
}
