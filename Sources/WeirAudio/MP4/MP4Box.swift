// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A box that lies in memory.
struct MP4Box {
    /// What it is.
    let type: FourCC
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
    mutating func next(_ type: FourCC) throws(AudioStreamError) -> MP4Box? {
        while let box = try self.next() {
            if box.type == type { return box }
        }
        return nil
    }
}
