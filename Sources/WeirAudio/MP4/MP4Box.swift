// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The four letters that name a box, a brand or a codec (ISO 14496-12 §4.2).
struct MP4Letters: Hashable, Sendable, ExpressibleByStringLiteral {
    /// The letters, the first in the most significant byte.
    let rawValue: UInt32

    init(_ rawValue: UInt32) { self.rawValue = rawValue }

    /// Letters of ASCII, written out; what is behind the fourth does not count.
    init(stringLiteral value: StaticString) {
        var rawValue: UInt32 = 0
        for index in 0..<min(4, value.utf8CodeUnitCount) {
            rawValue = rawValue << 8 | UInt32(value.utf8Start[index])
        }
        self.rawValue = rawValue
    }

    /// The letters as text, each byte the code point of its number, as in `©nam`.
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

/// The head of a box (ISO 14496-12 §4.2).
///
///     +--------------+--------------+------------------------+
///     | size (32)    | type (4 × 8) | largesize (64), if the |
///     |              |              | size is 1              |
///     +--------------+--------------+------------------------+
///
/// The size counts the header; 0 says that the box goes on to the end of the file.
struct MP4BoxHeader {
    /// How many bytes of a header tell whether it is a long one.
    static let shortCount = 8
    /// The length of a header with a long size.
    static let longCount = 16

    /// What the box is.
    let type: MP4Letters
    /// How many bytes the header has: 8 or 16.
    let count: Int
    /// The size of the whole box, at least ``count``; `nil`: to the end.
    let size: Int64?

    /// How many bytes the header that starts like this has.
    ///
    /// - Parameter view: at least ``shortCount`` bytes.
    /// - Returns: 8 or 16.
    static func count(_ view: ByteView) -> Int {
        view.big(0, UInt32.self) == 1 ? Self.longCount : Self.shortCount
    }

    /// Reads a header.
    ///
    /// Fails if the size is less than that of the header, or beyond all files.
    ///
    /// - Parameter view: as many bytes as ``count(_:)`` says.
    init?(_ view: ByteView) {
        self.type = MP4Letters(view.big(4))
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
    /// The header of the box at the front; `nil` if it has not come.
    mutating func peekBoxHeader() -> ByteView? {
        guard let short = self.peek(MP4BoxHeader.shortCount) else { return nil }
        return self.peek(MP4BoxHeader.count(short))
    }
}

/// A box that lies in memory.
struct MP4Box {
    /// What it is.
    let type: MP4Letters
    /// What is in it, without its header.
    let content: ByteView
    /// Where its content is in the stream.
    let offset: Int64

    /// The boxes in it.
    var children: MP4Boxes { MP4Boxes(self.content, offset: self.offset) }

    /// The boxes in it behind a number of bytes.
    ///
    /// - Parameter count: how many bytes stand in front.
    /// - Returns: no boxes if there are fewer bytes.
    func children(behind count: Int) -> MP4Boxes {
        guard count <= self.content.count else {
            return MP4Boxes(self.content[0..<0], offset: self.offset)
        }
        return MP4Boxes(
            self.content[count..<self.content.count],
            offset: self.offset + Int64(count)
        )
    }

    /// The version of a full box, its first byte (ISO 14496-12 §4.2.2); 0 if there is none.
    var version: UInt8 { self.content.count >= 4 ? self.content[0] : 0 }

    /// The 24 flags of a full box, behind its version; 0 if there are none.
    var flags: UInt32 { self.content.count >= 4 ? self.content.big24(1) : 0 }

    /// A fault at the front of the box's content.
    func fault(_ reason: String) -> AudioStreamError {
        AudioStreamError(.malformed, at: self.offset, reason)
    }

    /// Makes sure that there are as many bytes.
    ///
    /// - Parameter count: how many there have to be.
    /// - Throws: `malformed` if there are fewer.
    func require(_ count: Int) throws(AudioStreamError) {
        guard self.content.count >= count else {
            throw self.fault("The box '\(self.type.text)' is too short")
        }
    }
}

/// The boxes that follow each other in a piece of memory.
struct MP4Boxes {
    private let view: ByteView
    private let offset: Int64
    /// Where the next box starts in the view.
    private(set) var position = 0

    /// - Parameters:
    ///   - view: the boxes.
    ///   - offset: where its first byte is in the stream.
    init(_ view: ByteView, offset: Int64) {
        self.view = view
        self.offset = offset
    }

    /// The next box.
    ///
    /// Fewer bytes than a header has are passed over, and a size of 0 ends a list, as in the user data of QuickTime.
    ///
    /// - Returns: `nil` at the end.
    /// - Throws: `malformed` if a box is smaller than its header or larger than what it lies in.
    mutating func next() throws(AudioStreamError) -> MP4Box? {
        let left = self.view.count - self.position
        guard left >= MP4BoxHeader.shortCount else { return nil }
        let rest = self.view[self.position..<self.view.count]
        guard rest.big(0, UInt32.self) != 0 else { return nil }
        guard left >= MP4BoxHeader.count(rest), let header = MP4BoxHeader(rest),
            let size = header.size, size <= Int64(left)
        else {
            throw AudioStreamError(
                .malformed,
                at: self.offset + Int64(self.position),
                "A box does not fit into the box around it"
            )
        }
        let start = self.position + header.count
        self.position += Int(size)
        return MP4Box(
            type: header.type,
            content: self.view[start..<self.position],
            offset: self.offset + Int64(start)
        )
    }

    /// The next box of a type.
    ///
    /// - Parameter type: what is looked for; others are passed over.
    /// - Returns: `nil` if there is none up to the end.
    /// - Throws: as ``next()``.
    mutating func next(_ type: MP4Letters) throws(AudioStreamError) -> MP4Box? {
        while let box = try self.next() {
            if box.type == type { return box }
        }
        return nil
    }
}
