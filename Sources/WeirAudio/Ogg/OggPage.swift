// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A page whose checksum fits, and how far it has been taken apart.
struct OggPage: Sendable {
    /// A packet, or the part of one that lies in the page.
    struct Piece: Hashable, Sendable {
        /// Where it is in the page.
        var range: Range<Int>
        /// Whether the packet ends with it.
        var isEnd: Bool
    }

    /// How far a page has been taken apart.
    struct Cursor: Hashable, Sendable {
        /// The next segment.
        fileprivate var segment: Int
        /// Where it is in the page.
        fileprivate var position: Int
    }

    /// The whole page.
    let bytes: ByteMemory
    /// Where it is in the stream.
    let offset: Int64
    /// What its header says.
    let header: OggPageHeader
    /// What comes next.
    private(set) var cursor: Cursor

    /// - Parameters:
    ///   - bytes: the whole page, as large as its header says.
    ///   - offset: where it is in the stream.
    ///   - header: what its header says.
    init(bytes: ByteMemory, offset: Int64, header: OggPageHeader) {
        self.bytes = bytes
        self.offset = offset
        self.header = header
        self.cursor = Cursor(segment: 0, position: OggPageHeader.byteCount + header.segmentCount)
    }

    /// Where the page ends in the stream.
    var end: Int64 { self.offset + Int64(self.bytes.count) }

    /// Whether nothing is left of it.
    @inline(__always)
    var isEmpty: Bool { self.cursor.segment == self.header.segmentCount }

    /// Whether a packet ends in it.
    var endsPacket: Bool {
        let view = self.view
        var index = self.header.segmentCount
        while index > 0 {
            index -= 1
            if view[OggPageHeader.byteCount + index] < 255 { return true }
        }
        return false
    }

    /// The whole page as a view, good for as long as this value or a copy of it is kept.
    @inline(__always)
    var view: ByteView { self.bytes.view }

    /// Takes the next packet, or part of one.
    ///
    /// - Returns: `nil` if nothing is left.
    @inline(__always)
    mutating func next() -> Piece? {
        let count = self.header.segmentCount
        var segment = self.cursor.segment
        guard segment < count else { return nil }
        let sizes = self.view[OggPageHeader.byteCount..<OggPageHeader.byteCount &+ count]
        let start = self.cursor.position
        var end = start
        var isEnd = false
        // Within the sizes as the count is theirs.
        while segment < count, !isEnd {
            let size = Int(sizes.base[segment])
            segment &+= 1
            end &+= size
            isEnd = size < 255
        }
        self.cursor = Cursor(segment: segment, position: end)
        return Piece(range: start..<end, isEnd: isEnd)
    }

    /// Goes back to where it was.
    mutating func rewind(to cursor: Cursor) {
        self.cursor = cursor
    }
}
