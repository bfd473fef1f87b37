// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How the packets of a logical stream and its granule positions stand for time.
enum OggTiming: Sendable {
    /// Vorbis, whose packets say how long their blocks are.
    case vorbis(VorbisBlocks)
    /// Opus.
    case opus(preSkip: Int64)
    /// FLAC, whose frames say themselves how long they are.
    case flac

    /// How much earlier than its granule position a packet of Opus ends (RFC 7845 §4.3), in samples.
    @inline(__always)
    var preSkip: Int64 { if case .opus(let preSkip) = self { preSkip } else { 0 } }

    /// Whether the next packet decodes to nothing, for want of one before it: only in Vorbis.
    @inline(__always)
    var lacksPrevious: Bool {
        if case .vorbis(let blocks) = self { blocks.lacksPrevious } else { false }
    }

    /// There is no packet before the next one.
    mutating func reset() {
        guard case .vorbis(var blocks) = self else { return }
        blocks.reset()
        self = .vorbis(blocks)
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
        switch self {
        case .vorbis(var blocks):
            defer { self = .vorbis(blocks) }
            return blocks.duration(of: packet)
        case .opus:
            // A header packet in the midst of the stream would pass for 20 ms or so.
            guard packet.count < 8 || packet[0] != UInt8(ascii: "O") || !Self.isOpusHeader(packet)
            else { return nil }
            return packet.opusDuration
        case .flac:
            guard case .found(let header) = FLACFrameHeader.read(packet, info: nil) else {
                return nil
            }
            return Int64(header.blockSize)
        }
    }

    private static func isOpusHeader(_ packet: ByteView) -> Bool {
        packet.matches("OpusHead") || packet.matches("OpusTags")
    }
}

/// How many samples the packets of a Vorbis stream decode to.
///
/// A packet holds one block, of two sizes; what comes out is from the middle of the block before to its own middle
/// (Vorbis I §4.3.8): a quarter of the one and a quarter of the other. Its first bits tell its size:
///
///     0 | mode, as many bits as the number of modes needs | long blocks only: before is long | after is long
///
/// The first packet decodes to nothing, for want of a block before it; see ``lacksPrevious``.
struct VorbisBlocks: Hashable, Sendable {
    private let short: Int
    private let long: Int
    private let longModes: UInt64
    private let modeCount: Int
    private let modeBits: Int
    /// The size of the block before; 0 at the start and after a discontinuity.
    private var previous = 0

    init(identification: VorbisIdentification, setup: VorbisSetup) {
        self.short = identification.shortBlock
        self.long = identification.longBlock
        self.longModes = setup.longModes
        self.modeCount = setup.modeCount
        self.modeBits = Int.bitWidth - (setup.modeCount - 1).leadingZeroBitCount
    }

    /// Whether the next packet has no block before it, and so decodes to nothing.
    ///
    /// Its duration is then what it would be behind the block that its own bits name, or behind a short one (as
    /// libavformat has it), so that what follows it starts where it ends.
    @inline(__always)
    var lacksPrevious: Bool { self.previous == 0 }

    /// There is no block before the next packet.
    mutating func reset() {
        self.previous = 0
    }

    /// How many samples the next packet decodes to.
    ///
    /// - Parameter packet: the packet, or its first two bytes.
    /// - Returns: `nil` if it is no audio packet, or of no mode that there is.
    @inline(__always)
    mutating func duration(of packet: ByteView) -> Int64? {
        guard packet.count > 0, packet[0] & 1 == 0 else { return nil }
        let bits = Int(packet[0]) | (packet.count > 1 ? Int(packet[1]) << 8 : 0)
        let mode = bits >> 1 & (1 << self.modeBits - 1)
        guard mode < self.modeCount else { return nil }
        var before = self.previous == 0 ? self.short : self.previous
        var size = self.short
        if self.longModes >> UInt64(mode) & 1 == 1 {
            size = self.long
            before = bits >> (1 + self.modeBits) & 1 == 1 ? self.long : self.short
        }
        self.previous = size
        return Int64((before + size) >> 2)
    }
}
