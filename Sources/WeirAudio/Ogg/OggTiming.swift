// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How the packets of a logical stream and its granule positions relate to time.
enum OggTiming: Sendable {
    /// Vorbis, whose packets state the sizes of their blocks.
    case vorbis(VorbisBlocks)
    /// Opus.
    case opus(preSkip: Int64)
    /// FLAC, whose frames state their own length.
    case flac

    /// How many samples before its granule position an Opus packet ends (RFC 7845 §4.3).
    @inline(__always)
    var preSkip: Int64 { if case .opus(let preSkip) = self { preSkip } else { 0 } }

    /// Whether the next packet decodes to nothing because no packet precedes it: only in Vorbis.
    @inline(__always)
    var lacksPrevious: Bool {
        if case .vorbis(let blocks) = self { blocks.lacksPrevious } else { false }
    }

    /// Forgets the previous packet.
    mutating func reset() {
        guard case .vorbis(var blocks) = self else { return }
        blocks.reset()
        self = .vorbis(blocks)
    }

    /// The end of the packet to which a granule position belongs.
    @inline(__always)
    func time(of granule: Int64) -> Int64 { granule &- self.preSkip }

    /// How many samples the next packet decodes to.
    ///
    /// - Parameter packet: the packet, or its first 16 bytes.
    /// - Returns: `nil` if the packet is not audio.
    @inline(__always)
    mutating func duration(of packet: ByteView) -> Int64? {
        switch self {
        case .vorbis(var blocks):
            defer { self = .vorbis(blocks) }
            return blocks.duration(of: packet)
        case .opus:
            // A header packet within the stream would count as about 20 ms of audio.
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
/// A packet holds one block, of one of two sizes. The output reaches from the middle of the
/// previous block to the middle of the packet's own block (Vorbis I §4.3.8): a quarter of each
/// size. The first bits give the size:
///
///     0 | mode, as many bits as the number of modes needs |
///     long blocks only: previous is long | next is long
///
/// The first packet decodes to nothing, because no block precedes it; see ``lacksPrevious``.
struct VorbisBlocks: Hashable, Sendable {
    private let short: Int
    private let long: Int
    private let longModes: UInt64
    private let modeCount: Int
    private let modeBits: Int
    /// The size of the previous block; 0 at the start and after a discontinuity.
    private var previous = 0

    init(identification: VorbisIdentification, setup: VorbisSetup) {
        self.short = identification.shortBlock
        self.long = identification.longBlock
        self.longModes = setup.longModes
        self.modeCount = setup.modeCount
        self.modeBits = Int.bitWidth - (setup.modeCount - 1).leadingZeroBitCount
    }

    /// Whether no block precedes the next packet, so that it decodes to nothing.
    ///
    /// ``duration(of:)`` still gives that packet a duration, and the next packet starts where it
    /// ends. A long block states the size of the previous block. If the packet holds a short block,
    /// the duration assumes that the previous block was short, as libavformat does.
    @inline(__always)
    var lacksPrevious: Bool { self.previous == 0 }

    /// Forgets the previous block.
    mutating func reset() {
        self.previous = 0
    }

    /// How many samples the next packet decodes to.
    ///
    /// - Parameter packet: the packet, or its first two bytes.
    /// - Returns: `nil` if the packet is not audio, or has an unknown mode.
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
