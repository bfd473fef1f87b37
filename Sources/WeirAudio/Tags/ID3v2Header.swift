// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The ten bytes at the start of an ID3v2 tag (ID3v2.4 structure §3.1).
///
///     "ID3" | u8 version | u8 revision | u8 flags | 4 × 7 bit size, without header and footer
///     flags: 0x80 unsynchronised | 0x40 in 2.2 compressed, later an extended header |
///            0x20 experimental | 0x10 footer
struct ID3v2Header: Hashable, Sendable {
    /// The number after "2." in the version: 2, 3 or 4, or an unknown number.
    let version: UInt8
    /// The flags.
    let flags: UInt8
    /// How many bytes follow, up to the footer or the end.
    let size: Int

    /// Whether the first ten bytes, or fewer, can be a header.
    static func isPossible(_ view: ByteView) -> Bool {
        for index in 3..<10 where index < view.count {
            // No version above 4 exists; versions up to 15 count as possible later versions. In
            // each byte of the size, the high bit is 0.
            if index < 5 ? view[index] > 15 : index > 5 && view[index] >= 0x80 { return false }
        }
        return true
    }

    /// Reads a header.
    ///
    /// Fails if there are fewer than ten bytes, or they are not a header.
    ///
    /// - Parameter view: the stream from `ID3` on.
    init?(_ view: ByteView) {
        guard view.count >= 10, view.matches("ID3"), Self.isPossible(view) else { return nil }
        self.version = view[3]
        self.flags = view[5]
        self.size = Self.synchsafe(view, 6)
    }

    /// Whether the tag can be read.
    var isKnownVersion: Bool { self.version >= 2 && self.version <= 4 }

    /// Whether the tag, or each of its frames, is unsynchronised.
    var isUnsynchronised: Bool { self.flags & 0x80 != 0 }

    /// Whether an extended header follows; only in 2.3 and 2.4.
    var hasExtendedHeader: Bool { self.version > 2 && self.flags & 0x40 != 0 }

    /// Whether the tag is compressed as a whole, by a method that ID3v2.2 does not define.
    var isCompressed: Bool { self.version == 2 && self.flags & 0x40 != 0 }

    /// How many bytes the tag has, with its header, and the footer if it has one.
    var tagCount: Int64 {
        10 + Int64(self.size) + (self.version == 4 && self.flags & 0x10 != 0 ? 10 : 0)
    }

    /// A number of 28 bits, seven in each of four bytes.
    ///
    /// - Parameters:
    ///   - view: the bytes, at least four from the offset on.
    ///   - offset: the offset of the most significant byte.
    /// - Returns: 0 to 2²⁸ - 1.
    static func synchsafe(_ view: ByteView, _ offset: Int) -> Int {
        (0..<4).reduce(0) { $0 << 7 | Int(view[offset + $1] & 0x7F) }
    }
}
