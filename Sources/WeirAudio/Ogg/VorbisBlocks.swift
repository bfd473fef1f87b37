// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

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

    /// Those of no stream: no packet is one of them.
    init() {
        self.short = 0
        self.long = 0
        self.longModes = 0
        self.modeCount = 0
        self.modeBits = 0
    }

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
