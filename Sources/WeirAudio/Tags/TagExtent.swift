// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How far a tag reaches according to its parts, regardless of the size in its header.
struct TagExtent: Hashable, Sendable {
    /// The kind of bytes at the place where the tag's next part should be.
    enum Ending: Hashable, Sendable {
        /// Audio: the size in the header is wrong.
        case audio
        /// The end of the view, or the beginning of a part that is not whole.
        case cut
        /// The end of the tag, or bytes of an unknown kind.
        case other
    }

    /// How many bytes the header and the complete parts have, with the padding before audio if
    /// audio follows.
    let count: Int
    /// The kind of bytes after these parts.
    let ending: Ending

    init(count: Int, ending: Ending) {
        self.count = count
        self.ending = ending
    }

    /// Examines the bytes after the parts of a tag.
    ///
    /// - Parameters:
    ///   - count: how many bytes the header and the parts have.
    ///   - isCut: whether an incomplete part begins there.
    ///   - view: the tag from its header on.
    init(behind count: Int, isCut: Bool, in view: ByteView) {
        let rest = view.from(count)
        var padding = 0
        while padding < rest.count, rest[padding] == 0 { padding += 1 }
        if Self.isAudio(rest.from(padding)) {
            self.init(count: count + padding, ending: .audio)
        } else {
            self.init(count: count, ending: isCut || rest.count < 10 ? .cut : .other)
        }
    }

    /// Whether the view starts with a stream, or with frames that are linked by their sizes.
    private static func isAudio(_ view: ByteView) -> Bool {
        if AudioContainer.container(at: view) != nil || AudioContainer.isFLACFrame(view) {
            return true
        }
        guard view.count >= FrameMark.byteCount, let mark = FrameMark(view, at: 0),
            let count = mark.count, view.count >= count + FrameMark.byteCount
        else { return false }
        return FrameMark(view, at: count)?.agrees(with: mark) == true
    }
}

extension TagForm {
    /// Follows the parts of a tag from its header on.
    ///
    /// - Parameter view: the tag from its first byte on, as far as it has arrived; its header must
    ///   be whole.
    /// - Returns: the extent; the whole view if the tag has no parts, or its parts cannot be
    ///   followed.
    func extent(in view: ByteView) -> TagExtent {
        switch self {
        case .id3v2: ID3v2Tag.extent(in: view)
        case .ape: Self.apeExtent(in: view)
        case .id3v1, .lyrics3: TagExtent(count: view.count, ending: .cut)
        }
    }
}
