// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds the end of a FLAC frame by its structure, without decoding it (RFC 9639 §9.2).
///
///     frame     header | subframe for each channel | zero bits up to a byte | CRC-16
///     subframe  0 | type 6 | wasted bits flag 1 | [unary: wasted bits - 1] | body
///               type 0: one sample, 1: all samples as they are,
///               8-12: fixed predictor of order type - 8,
///               32-63: linear predictor of order type - 31
///     residual  method 2 | partition order 4 | for each partition: parameter 4 or 5, codes
///
/// Following the structure is slower than a search for the next header. The parser follows the
/// structure if no header follows the frame, and after damage; a seek does so to check a frame.
struct FLACFrameBody {
    /// The result.
    enum Extent {
        /// The frame takes this many bytes, and its CRC-16 matches.
        case complete(Int)
        /// The bytes so far may be a frame.
        case needsMore
        /// The bytes are not a frame; that many bytes were needed to decide.
        case invalid(after: Int)
    }

    private enum FrameError: Error {
        case ended
        case broken
    }

    private let view: ByteView
    private let header: FLACFrameHeader
    private var position: Int

    /// Follows a frame from its header to its checksum.
    ///
    /// - Parameters:
    ///   - header: the frame's header, with a known number of bits a sample.
    ///   - view: the bytes from the header on.
    /// - Returns: how many bytes the frame takes, if the bytes are a frame.
    static func extent(of header: FLACFrameHeader, in view: ByteView) -> Extent {
        guard let bits = header.bitsPerSample, view.count >= header.byteCount else {
            return .needsMore
        }
        var body = FLACFrameBody(view: view, header: header, position: header.byteCount * 8)
        do throws(FrameError) {
            for channel in 0..<header.channelCount {
                let isSide = header.sideChannel == channel
                try body.subframe(bits: bits + (isSide ? 1 : 0))
            }
            let padding = (8 - body.position & 7) & 7
            guard try body.read(padding) == 0 else { throw .broken }
            let end = body.position / 8 + 2
            guard end <= view.count else { throw .ended }
            guard FLACChecksum.crc16(view[0..<end]) == 0 else { throw .broken }
            return .complete(end)
        } catch {
            switch error {
            case .ended: return .needsMore
            case .broken: return .invalid(after: min(view.count, body.position / 8 + 1))
            }
        }
    }

    // MARK: Subframes

    private mutating func subframe(bits total: Int) throws(FrameError) {
        guard try self.read(1) == 0 else { throw .broken }
        let type = Int(try self.read(6))
        var bits = total
        if try self.read(1) == 1 { bits -= try self.unary() + 1 }
        guard bits > 0 else { throw .broken }
        switch type {
        case 0:
            try self.skip(bits)
        case 1:
            try self.skip(bits * self.header.blockSize)
        case 8...12:
            try self.skip(bits * (type - 8))
            try self.residual(order: type - 8)
        case 32...63:
            try self.skip(bits * (type - 31))
            let precision = Int(try self.read(4)) + 1
            guard precision < 16, try self.read(5) < 16 else { throw .broken }
            try self.skip(precision * (type - 31))
            try self.residual(order: type - 31)
        default:
            throw .broken
        }
    }

    private mutating func residual(order: Int) throws(FrameError) {
        let method = try self.read(2)
        guard method < 2 else { throw .broken }
        let width = method == 0 ? 4 : 5
        let partitionOrder = Int(try self.read(4))
        let size = self.header.blockSize >> partitionOrder
        guard size << partitionOrder == self.header.blockSize, size >= order else { throw .broken }
        for partition in 0..<1 << partitionOrder {
            let count = partition == 0 ? size - order : size
            let parameter = Int(try self.read(width))
            if parameter == (1 << width) - 1 {
                try self.skip(Int(try self.read(5)) * count)
            } else {
                for _ in 0..<count {
                    _ = try self.unary()
                    try self.skip(parameter)
                }
            }
        }
    }

    // MARK: Bits

    /// At least 57 bits from the position on, as the highest bits; bits past the end of the view
    /// are 0.
    @inline(__always)
    private var word: UInt64 {
        let offset = self.position &>> 3
        let shift = UInt64(self.position & 7)
        if offset &+ 8 <= self.view.count { return self.view.big(offset, UInt64.self) &<< shift }
        var word: UInt64 = 0
        for index in offset..<offset + 8 {
            word = word << 8 | (index < self.view.count ? UInt64(self.view[index]) : 0)
        }
        return word &<< shift
    }

    /// The next bits as a number, 0 to 32 of them.
    @inline(__always)
    private mutating func read(_ count: Int) throws(FrameError) -> UInt64 {
        let word = self.word
        try self.skip(count)
        return count == 0 ? 0 : word &>> UInt64(64 &- count)
    }

    /// Counts the zeros before the next one bit, and takes that bit too.
    @inline(__always)
    private mutating func unary() throws(FrameError) -> Int {
        var zeros = 0
        while true {
            let found = self.word.leadingZeroBitCount
            if found < 57 {
                try self.skip(found &+ 1)
                return zeros &+ found
            }
            try self.skip(56)
            zeros &+= 56
        }
    }

    /// Skips bits, fewer than 2^32.
    @inline(__always)
    private mutating func skip(_ count: Int) throws(FrameError) {
        guard count <= self.view.count &* 8 &- self.position else { throw .ended }
        self.position &+= count
    }
}
