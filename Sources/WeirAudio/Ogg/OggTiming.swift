// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How the packets of a logical stream and its granule positions stand for time.
struct OggTiming: Sendable {
    private enum Codec {
        case vorbis
        case opus
        case flac
    }

    private let codec: Codec
    private var blocks = VorbisBlocks()
    /// How much earlier than its granule position a packet of Opus ends (RFC 7845 §4.3), in samples.
    let preSkip: Int64

    init(vorbis blocks: VorbisBlocks) {
        self.codec = .vorbis
        self.blocks = blocks
        self.preSkip = 0
    }

    init(opus head: OpusHead) {
        self.codec = .opus
        self.preSkip = Int64(head.preSkip)
    }

    /// The times of FLAC, whose frames say themselves how long they are.
    init() {
        self.codec = .flac
        self.preSkip = 0
    }

    /// Whether the next packet decodes to nothing, for want of one before it: only in Vorbis.
    @inline(__always)
    var lacksPrevious: Bool { self.codec == .vorbis && self.blocks.lacksPrevious }

    /// There is no packet before the next one.
    mutating func reset() {
        self.blocks.reset()
    }

    /// When the packet ends that a granule position is of.
    @inline(__always)
    func time(of granule: Int64) -> Int64 { granule &- self.preSkip }

    /// How many samples the next packet decodes to.
    ///
    /// - Parameter packet: the packet, or its first 16 bytes.
    /// - Returns: `nil` if it is no audio packet.
    @inline(__always)
    mutating func duration(of packet: ByteView) -> Int64? {
        switch self.codec {
        case .vorbis:
            return self.blocks.duration(of: packet)
        case .opus:
            // A header packet in the midst of the stream would pass for 20 ms or so.
            guard packet.count < 8 || packet[0] != UInt8(ascii: "O") || !Self.isOpusHeader(packet)
            else { return nil }
            return OpusPacket.duration(of: packet)
        case .flac:
            guard case .header(let header) = FLACFrameHeader.read(packet, info: nil) else {
                return nil
            }
            return Int64(header.blockSize)
        }
    }

    private static func isOpusHeader(_ packet: ByteView) -> Bool {
        packet.matches("OpusHead") || packet.matches("OpusTags")
    }
}
