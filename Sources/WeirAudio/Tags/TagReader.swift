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

    /// How many bytes of a tag are looked at before the rest is waited for.
    static let judgedCount: Int64 = 64 << 10

    let limits: AudioStreamLimits
    /// How many bytes the stream has, if known.
    private let length: Int64?
    /// Whether frames came before: then a tag too large to be checked is not skipped, since frames may be behind its header.
    var isAmidFrames = false
    /// Whether nothing tells where the last tag ends, since its size is wrong: more of it may follow.
    private(set) var isEndLost = false
    /// Where a tag begins of which the first bytes were looked at, and do not contradict its size.
    private var judgedOffset: Int64?
    /// The trouble event that goes with the tag that was reported last.
    private var pending: AudioStreamTrouble?
    /// How far the bytes at the front were looked through.
    private var progress = TagProgress()

    /// A reader that has seen no tag yet.
    ///
    /// - Parameters:
    ///   - limits: how large a tag may be that is read.
    ///   - length: how many bytes the stream has, if known.
    init(limits: AudioStreamLimits, length: Int64?) {
        self.limits = limits
        self.length = length
    }

    /// Looks at the front of a window, and takes a tag that is there.
    ///
    /// A tag larger than the limit is skipped, whether its bytes have come or not. One that the end of the stream
    /// cuts gives what can be read of it, and then ``AudioStreamTrouble/Kind/truncated``. A size that reaches over the
    /// end of the stream, or over frames of audio, is not believed: only the tag's header goes by, and the parts that
    /// are sound, with ``AudioStreamTrouble/Kind/contradiction``.
    ///
    /// - Parameter window: the stream from where a tag may start.
    /// - Returns: what the tag says, or the trouble about a tag that is passed over; there may be another tag behind it. At
    ///   the end of the stream never ``Reading/needsMore``.
    mutating func read(_ window: inout ByteWindow) -> Reading<AudioStreamEvent> {
        if let trouble = self.takeTrouble() { return .found(.trouble(trouble)) }
        switch TagForm.recognize(&window, &self.progress) {
        case .none: return .none
        case .needsMore: return .needsMore
        case .passedOver(let kind, let count): return self.pass(&window, kind, count)
        case .tag(let form, let count): return self.take(&window, form, count)
        }
    }

    /// The trouble that goes with the tag that was reported last, once: frames may follow it.
    mutating func takeTrouble() -> AudioStreamTrouble? {
        defer { self.pending = nil }
        return self.pending
    }

    /// Passes over bytes of the stream; where it has not as many, over a header of ten bytes.
    private mutating func pass(
        _ window: inout ByteWindow,
        _ kind: AudioStreamTrouble.Kind,
        _ count: Int64
    ) -> Reading<AudioStreamEvent> {
        let start = window.offset
        self.judgedOffset = nil
        self.isEndLost = self.left(window).map { count > $0 } ?? false
        window.skip(self.isEndLost ? min(10, count) : count)
        return .found(.trouble(AudioStreamTrouble(kind, start..<window.offset)))
    }

    /// How many bytes the stream has from the front of the window on; `nil` if unknown, or if more of them are here.
    private func left(_ window: borrowing ByteWindow) -> Int64? {
        guard let length = self.length, length - window.offset >= Int64(window.count) else {
            return nil
        }
        return length - window.offset
    }

    /// Takes a tag as soon as it is whole, or what there is of it at the end.
    private mutating func take(
        _ window: inout ByteWindow,
        _ form: TagForm,
        _ count: Int64
    ) -> Reading<AudioStreamEvent> {
        let left = self.left(window)
        let isImpossible = left.map { count > $0 } ?? false
        let early = min(count, Self.judgedCount, left ?? .max)
        guard Int64(window.count) >= early || window.isAtEnd else { return .needsMore }
        if self.judgedOffset != window.offset {
            self.judgedOffset = window.offset
            let view = window.peek(upTo: Int(early))
            let extent = form.extent(in: view)
            if extent.ending == .audio || isImpossible {
                return self.distrust(form, view, extent, isAll: Int64(view.count) == left, &window)
            }
        }
        if count > Int64(self.limits.tag) {
            // Without a length, a size that cannot be would hide all frames to the end.
            guard left == nil, self.isAmidFrames else {
                return self.pass(&window, .tooLarge, count)
            }
            let extent = form.extent(in: window.peek(upTo: Int(early)))
            return self.report(form, window.peek(upTo: 0), extent, .tooLarge, &window)
        }
        guard Int64(window.count) >= count || window.isAtEnd else { return .needsMore }
        let view = window.peek(upTo: Int(count))
        let extent = form.extent(in: view)
        guard Int64(view.count) < count || extent.ending == .audio else {
            let whole = TagExtent(count: view.count, ending: .cut)
            return self.report(form, view, whole, nil, &window)
        }
        return self.distrust(form, view, extent, isAll: view.count == window.count, &window)
    }

    /// Goes over as much of a tag as it is by its own parts.
    ///
    /// - Parameters:
    ///   - form: which kind of tag it is.
    ///   - view: the tag, as far as it is looked at.
    ///   - extent: how far it goes in these bytes.
    ///   - isAll: whether the stream ends with them.
    ///   - window: the stream.
    /// - Returns: what is read of the parts, if they lead to audio or to the end of the stream; else the trouble.
    private mutating func distrust(
        _ form: TagForm,
        _ view: ByteView,
        _ extent: TagExtent,
        isAll: Bool,
        _ window: inout ByteWindow
    ) -> Reading<AudioStreamEvent> {
        let sound = view[0..<extent.count]
        switch extent.ending {
        case .audio: return self.report(form, sound, extent, .contradiction, &window)
        case .cut where isAll: return self.report(form, sound, extent, .truncated, &window)
        case .cut, .other:
            return self.report(form, view[0..<0], extent, .contradiction, &window)
        }
    }

    /// Reads a tag, and goes on behind it.
    ///
    /// - Parameters:
    ///   - form: which kind of tag it is.
    ///   - view: the bytes to read, from its first on; none, if nothing of it is believed.
    ///   - extent: the bytes that are passed.
    ///   - kind: what is wrong with its size; `nil` if nothing is.
    ///   - window: the stream.
    /// - Returns: what it says, or the trouble.
    private mutating func report(
        _ form: TagForm,
        _ view: ByteView,
        _ extent: TagExtent,
        _ kind: AudioStreamTrouble.Kind?,
        _ window: inout ByteWindow
    ) -> Reading<AudioStreamEvent> {
        let range = window.offset..<window.offset + Int64(extent.count)
        let contents = view.isEmpty ? nil : form.read(view, range: range)
        window.drop(extent.count)
        self.judgedOffset = nil
        self.isEndLost = kind != nil && extent.ending != .audio
        let trouble = (kind ?? contents?.trouble).map { AudioStreamTrouble($0, range) }
        // A tag that is whole and empty is reported, too: the caller learns that it was there.
        if let trouble, contents?.isEmpty ?? true { return .found(.trouble(trouble)) }
        guard let contents else { return .none }
        self.pending = trouble
        return .found(.tags(contents.tags))
    }
}
