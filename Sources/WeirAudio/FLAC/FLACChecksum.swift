// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The two checksums of a FLAC frame (RFC 9639 §9.1.8 and §9.3), both most significant bit first,
/// from 0.
///
/// A run of bytes that ends with its own checksum has the checksum 0.
///
/// `@unchecked Sendable`: the tables are written once, when ``tables`` is made, and never freed.
struct FLACChecksum: @unchecked Sendable {
    private static let tables = FLACChecksum()

    /// 256 remainders of x^8 + x^2 + x + 1.
    private let header: UnsafePointer<UInt8>
    /// 16 × 256 remainders of x^16 + x^15 + x^2 + 1; table n is for a byte with n bytes after it.
    private let frame: UnsafePointer<UInt16>

    private init() {
        let header = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
        let frame = UnsafeMutablePointer<UInt16>.allocate(capacity: 16 * 256)
        for byte in 0..<256 {
            var eight = UInt8(byte)
            var sixteen = UInt16(byte) << 8
            for _ in 0..<8 {
                eight = eight << 1 ^ (eight & 0x80 == 0 ? 0 : 0x07)
                sixteen = sixteen << 1 ^ (sixteen & 0x8000 == 0 ? 0 : 0x8005)
            }
            header[byte] = eight
            frame[byte] = sixteen
        }
        for index in 256..<16 * 256 {
            let before = frame[index - 256]
            frame[index] = before << 8 ^ frame[Int(before >> 8)]
        }
        self.header = UnsafePointer(header)
        self.frame = UnsafePointer(frame)
    }

    /// The checksum of a frame's header.
    ///
    /// - Parameter view: the header.
    /// - Returns: 0 if the view includes the header's own checksum, and that checksum matches.
    static func crc8(_ view: ByteView) -> UInt8 {
        let table = Self.tables.header
        var crc: UInt8 = 0
        for index in 0..<view.count { crc = table[Int(crc ^ view.base[index])] }
        return crc
    }

    /// The checksum of a frame, or of a part of it.
    ///
    /// - Parameters:
    ///   - view: the bytes.
    ///   - seed: the checksum of the bytes before them.
    /// - Returns: 0 at the end of a whole frame.
    static func crc16(_ view: ByteView, seed: UInt16 = 0) -> UInt16 {
        let folded = view.count / Self.foldedBlock * Self.foldedBlock
        guard folded >= 1024 else { return self.tabled(view, seed: seed) }
        return self.tabled(
            view[folded..<view.count],
            seed: self.folded(view[0..<folded], seed: seed)
        )
    }

    /// Takes sixteen bytes at a time: the checksum of the bytes before changes only the first two
    /// of them.
    private static func tabled(_ view: ByteView, seed: UInt16) -> UInt16 {
        let table = Self.tables.frame
        var crc = seed
        var at = UnsafeRawPointer(view.base)
        var left = view.count
        @inline(__always)
        func row(_ number: Int, _ word: UInt64, _ shift: UInt64) -> UInt16 {
            table[number &* 256 &+ Int(truncatingIfNeeded: word &>> shift & 0xFF)]
        }
        while left >= 16 {
            let high = UInt64(bigEndian: at.loadUnaligned(as: UInt64.self)) ^ UInt64(crc) &<< 48
            let low = UInt64(bigEndian: at.loadUnaligned(fromByteOffset: 8, as: UInt64.self))
            let first = row(15, high, 56) ^ row(14, high, 48)
            let second =
                row(13, high, 40) ^ row(12, high, 32) ^ row(11, high, 24) ^ row(10, high, 16)
            let third = row(9, high, 8) ^ row(8, high, 0) ^ row(7, low, 56) ^ row(6, low, 48)
            let fourth = row(5, low, 40) ^ row(4, low, 32) ^ row(3, low, 24) ^ row(2, low, 16)
            let fifth = row(1, low, 8) ^ row(0, low, 0)
            crc = (second ^ third) ^ (fourth ^ fifth) ^ first
            at += 16
            left &-= 16
        }
        while left > 0 {
            crc = crc &<< 8 ^ table[Int(crc &>> 8) ^ Int(at.load(as: UInt8.self))]
            at += 1
            left &-= 1
        }
        return crc
    }

    // MARK: Folding

    /// Folding works on blocks of 14 words of 16 bytes.
    private static let foldedBlock = 14 * 16

    /// Reduces many bytes to 15 words, by exclusive ors only.
    ///
    /// The polynomial is (x + 1) q with q = `x^15 + x + 1`. Squared seven times, q is
    /// `x^1920 + x^128 + 1`. Modulo q, a word of 128 bits may therefore be removed if it is added
    /// to the 14th and to the 15th word after it. With n words m, let
    /// `s(i) = m(i) + s(i - 14) + s(i - 15)`. The last s leaves out its `s(i - 14)`: that word is
    /// not removed. The last 15 of the words s have the same remainder as all words m. Modulo x + 1
    /// the remainder is the parity of all bits. The two remainders give the checksum: if the
    /// parities differ, q is added.
    ///
    /// - Parameters:
    ///   - view: a number of whole blocks, from one.
    ///   - seed: the checksum of the bytes before them.
    /// - Returns: the checksum of all.
    private static func folded(_ view: ByteView, seed: UInt16) -> UInt16 {
        withUnsafeTemporaryAllocation(of: SIMD2<UInt64>.self, capacity: 15) { words in
            words.initialize(repeating: SIMD2())
            guard let words = words.baseAddress else { return 0 }
            // The seed is added to the first word.
            words[0][0] = UInt64(littleEndian: UInt64(seed.byteSwapped))
            var parity = words[0]
            var at = UnsafeRawPointer(view.base)
            let end = at + view.count
            while at < end {
                let last = words[14]
                var before = words[0]
                for index in 0..<14 {
                    let word = at.loadUnaligned(fromByteOffset: index &* 16, as: SIMD2<UInt64>.self)
                    let after = words[index &+ 1]
                    parity ^= word
                    words[index &+ 1] = word ^ before ^ after
                    before = after
                }
                words[0] = last
                at += Self.foldedBlock
            }
            words[14] ^= words[0]
            let rest = UnsafeRawPointer(words).assumingMemoryBound(to: UInt8.self)
            let crc = self.tabled(ByteView(base: rest, count: 15 * 16), seed: 0)
            let bits = (parity[0] ^ parity[1]).nonzeroBitCount ^ crc.nonzeroBitCount
            return bits & 1 == 0 ? crc : crc ^ 0x8003
        }
    }
}
