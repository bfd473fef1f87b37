// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How far a tag goes by its own parts, whatever its header says.
struct TagExtent: Hashable, Sendable {
    /// What stands where the next part of the tag should.
    enum Ending: Hashable, Sendable {
        /// Audio: the size in the header is wrong.
        case audio
        /// Nothing, or a part of which the bytes that are there are only the first.
        case cut
        /// The end of the tag, or something that does not tell.
        case other
    }

    /// How many bytes the header has, the parts that are whole, and in front of audio the padding.
    let count: Int
    /// What stands behind them.
    let ending: Ending

    init(count: Int, ending: Ending) {
        self.count = count
        self.ending = ending
    }

    /// Sees what stands behind the parts of a tag.
    ///
    /// - Parameters:
    ///   - count: how many bytes the header and the parts have.
    ///   - isCut: whether a part begins there that is not whole.
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

    /// Whether a stream begins there, or frames that are linked by their sizes.
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
    /// - Parameter view: the tag from its first byte on, as far as it is there; tags are recognised by their whole header.
    /// - Returns: how far they go; all that is there, for a tag without parts, and for one of which the parts cannot be told.
    func extent(in view: ByteView) -> TagExtent {
        switch self {
        case .id3v2: ID3v2Tag.extent(in: view)
        case .ape: Self.apeExtent(in: view)
        case .id3v1, .lyrics3: TagExtent(count: view.count, ending: .cut)
        }
    }
}
