// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

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
