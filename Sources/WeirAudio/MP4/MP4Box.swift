// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A box in memory.
struct MP4Box {
    /// The type of the box.
    let type: FourCC
    /// The content, without the header.
    let content: ByteView
    /// The offset of the content in the stream.
    let offset: Int64

    /// The boxes in the content.
    var children: MP4Boxes { MP4Boxes(self.content, offset: self.offset) }

    /// The boxes in the content, after a number of other bytes.
    ///
    /// - Parameter count: how many bytes precede the boxes.
    /// - Returns: no boxes if the content is shorter.
    func children(behind count: Int) -> MP4Boxes {
        guard count <= self.content.count else {
            return MP4Boxes(self.content[0..<0], offset: self.offset)
        }
        return MP4Boxes(
            self.content[count..<self.content.count],
            offset: self.offset + Int64(count)
        )
    }

    /// The version of a full box, its first byte (ISO 14496-12 §4.2.2); 0 if the content is too
    /// short.
    var version: UInt8 { self.content.count >= 4 ? self.content[0] : 0 }

    /// The 24 flags of a full box, after its version; 0 if the content is too short.
    var flags: UInt32 { self.content.count >= 4 ? self.content.big24(1) : 0 }

    /// A fault at the front of the box's content.
    func fault(_ reason: String) -> AudioStreamError {
        AudioStreamError(.malformed, at: self.offset, reason)
    }

    /// Checks that the content has enough bytes.
    ///
    /// - Parameter count: the required number of bytes.
    /// - Throws: `malformed` if the content has fewer.
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
    /// The position of the next box in the view.
    private(set) var position = 0

    /// - Parameters:
    ///   - view: the boxes.
    ///   - offset: the offset of the first byte in the stream.
    init(_ view: ByteView, offset: Int64) {
        self.view = view
        self.offset = offset
    }

    /// The next box.
    ///
    /// A rest that is shorter than a header is skipped. A size of 0 ends a list, as in the user
    /// data of QuickTime.
    ///
    /// - Returns: `nil` at the end.
    /// - Throws: `malformed` if a box is smaller than its header or larger than the box around it.
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
    /// - Parameter type: the wanted type; the call skips other boxes.
    /// - Returns: `nil` if no such box follows.
    /// - Throws: as ``next()``.
    mutating func next(_ type: FourCC) throws(AudioStreamError) -> MP4Box? {
        while let box = try self.next() {
            if box.type == type { return box }
        }
        return nil
    }
}
