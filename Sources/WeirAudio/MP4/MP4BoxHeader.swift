// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The four letters that name a box, a brand or a codec (ISO 14496-12 §4.2).
struct FourCC: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The letters, the first in the most significant byte.
    let rawValue: UInt32

    init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// Takes ASCII letters; letters after the fourth are ignored.
    init(stringLiteral value: StaticString) {
        var rawValue: UInt32 = 0
        for index in 0..<min(4, value.utf8CodeUnitCount) {
            rawValue = rawValue << 8 | UInt32(value.utf8Start[index])
        }
        self.rawValue = rawValue
    }

    /// Whether the letters can name a box: printable ASCII, or ©.
    var isBoxName: Bool {
        [24, 16, 8, 0].allSatisfy { (shift: UInt32) in
            let letter = UInt8(truncatingIfNeeded: self.rawValue >> shift)
            return 0x20...0x7E ~= letter || letter == 0xA9
        }
    }

    /// The letters as text; each byte is the code point of its number, as in `©nam`.
    var text: String {
        var text = ""
        for shift: UInt32 in [24, 16, 8, 0] {
            text.unicodeScalars.append(
                Unicode.Scalar(UInt8(truncatingIfNeeded: self.rawValue >> shift))
            )
        }
        return text
    }
}

/// The header of a box (ISO 14496-12 §4.2).
///
///     +--------------+--------------+------------------------+
///     | size (32)    | type (4 × 8) | largesize (64), if the |
///     |              |              | size is 1              |
///     +--------------+--------------+------------------------+
///
/// The size counts the header; 0 means that the box reaches to the end of the file.
struct MP4BoxHeader {
    /// How many bytes of a header show its length.
    static let shortCount = 8
    /// The length of a header with a long size.
    static let longCount = 16

    /// The type of the box.
    let type: FourCC
    /// How many bytes the header has: 8 or 16.
    let count: Int
    /// The size of the whole box, at least ``count``; `nil` if the box reaches to the end of the
    /// file.
    let size: Int64?

    /// The length of a header, by its first bytes.
    ///
    /// - Parameter view: at least ``shortCount`` bytes.
    /// - Returns: 8 or 16.
    static func count(_ view: ByteView) -> Int {
        view.big(0, UInt32.self) == 1 ? Self.longCount : Self.shortCount
    }

    /// Whether bytes, fewer than a header, may begin a header.
    ///
    /// Four bytes or fewer are only a size, which may be any number: the check needs at least one
    /// letter of the name.
    static func mayBegin(with view: ByteView) -> Bool {
        guard view.count > 4 else { return false }
        let size: UInt32 = view.big(0)
        let letters = (4..<view.count).map { view[$0] }
        return (size == 1 || size >= UInt32(Self.shortCount))
            && letters.allSatisfy { 0x20...0x7E ~= $0 || $0 == 0xA9 }
    }

    /// Reads a header.
    ///
    /// Fails if the size is less than the size of the header, or greater than any file is.
    ///
    /// - Parameter view: the header, as many bytes as ``count(_:)`` returns.
    init?(_ view: ByteView) {
        self.type = FourCC(view.big(4))
        self.count = Self.count(view)
        let short = Int64(view.big(0, UInt32.self))
        switch short {
        case 0:
            self.size = nil
        case 1:
            let long = view.big(8, UInt64.self)
            guard long >= UInt64(Self.longCount), long <= UInt64(Int64.max / 4) else { return nil }
            self.size = Int64(long)
        default:
            guard short >= Int64(Self.shortCount) else { return nil }
            self.size = short
        }
    }
}

extension ByteWindow {
    /// The header of the box at the front; `nil` if it has not arrived.
    mutating func peekBoxHeader() -> ByteView? {
        guard let short = self.peek(MP4BoxHeader.shortCount) else { return nil }
        return self.peek(MP4BoxHeader.count(short))
    }
}
