// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads the tags that stand before, between and after the frames of a stream.
///
/// Recognised are ID3v2 (several in a row, with footers), ID3v1 and its enhancement `TAG+`, APE tags with a header,
/// APE tags of at most 64 KiB with a footer only, and Lyrics3. What is decided depends on the bytes alone and on
/// whether the stream is at its end, never on how many bytes happen to be here.
struct TagReader: Sendable {
    /// What the bytes at the front of a window are.
    enum Recognition {
        /// No tag.
        case none
        /// More bytes are needed to tell.
        case needsMore
        /// A tag of a number of bytes that is read as one piece.
        case tag(TagForm, count: Int64)
        /// Bytes that are of no use, passed over as what they are.
        case passedOver(AudioStreamTrouble.Kind, count: Int64)
    }

    let limits: AudioStreamLimits
    /// The trouble event that goes with the tag that was reported last.
    private var pending: AudioStreamTrouble?
    /// How far the bytes at the front were looked through.
    private var progress = TagProgress()

    init(limits: AudioStreamLimits) {
        self.limits = limits
    }

    /// Looks at the front of a window, and takes a tag that is there.
    ///
    /// A tag larger than the limit is skipped, whether its bytes have come or not. One that the end of the stream
    /// cuts gives what can be read of it, and then ``AudioStreamTrouble/Kind/truncated``.
    ///
    /// - Parameter window: the stream from where a tag may start.
    /// - Returns: what the tag says, or the trouble about a tag that is passed over; there may be another tag behind it. At
    ///   the end of the stream never ``Reading/needsMore``.
    mutating func read(_ window: inout ByteWindow) -> Reading<AudioStreamEvent> {
        if let trouble = self.pending {
            self.pending = nil
            return .found(.trouble(trouble))
        }
        switch TagForm.recognize(&window, &self.progress) {
        case .none: return .none
        case .needsMore: return .needsMore
        case .passedOver(let kind, let count): return self.pass(&window, kind, count)
        case .tag(let form, let count): return self.take(&window, form, count)
        }
    }

    /// Passes over bytes of the stream.
    private func pass(
        _ window: inout ByteWindow,
        _ kind: AudioStreamTrouble.Kind,
        _ count: Int64
    ) -> Reading<AudioStreamEvent> {
        let start = window.offset
        window.skip(count)
        return .found(.trouble(AudioStreamTrouble(kind, start..<window.offset)))
    }

    /// Takes a tag as soon as it is whole, or what there is of it at the end.
    private mutating func take(
        _ window: inout ByteWindow,
        _ form: TagForm,
        _ count: Int64
    ) -> Reading<AudioStreamEvent> {
        guard count <= Int64(self.limits.tag) else { return self.pass(&window, .tooLarge, count) }
        let isWhole = Int64(window.count) >= count
        guard isWhole || window.isAtEnd else { return .needsMore }
        let view = window.peek(upTo: Int(count))
        let range = window.offset..<window.offset + Int64(view.count)
        let contents = form.read(view, range: range)
        window.drop(Int(range.upperBound - range.lowerBound))
        let kind = isWhole ? contents.trouble : .truncated
        let trouble = kind.map { AudioStreamTrouble($0, range) }
        // A tag that is whole and empty is reported, too: the caller learns that it was there.
        if contents.isEmpty, let trouble { return .found(.trouble(trouble)) }
        self.pending = trouble
        return .found(.tags(contents.tags))
    }
}
