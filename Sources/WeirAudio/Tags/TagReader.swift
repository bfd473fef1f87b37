// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads the tags before, between and after the frames of a stream.
///
/// The reader recognises ID3v2 (several in a row, with footers), ID3v1 and its enhancement `TAG+`,
/// APE tags with a header, APE tags of at most 64 KiB with a footer only, and Lyrics3. The result
/// depends only on the bytes and on whether the stream ends, never on how many bytes have arrived.
struct TagReader: Sendable {
    /// The kind of bytes at the front of a window.
    enum Recognition {
        /// No tag.
        case none
        /// More bytes are needed to decide.
        case needsMore
        /// A tag of that many bytes, which is read as a whole.
        case tag(TagForm, count: Int64)
        /// That many bytes to skip, with the kind of trouble to report.
        case passedOver(AudioStreamFailure.Kind, count: Int64)
    }

    /// How many bytes of a tag are examined before the rest of the tag has arrived.
    static let judgedCount: Int64 = 64 << 10

    let limits: AudioStreamLimits
    /// How many bytes the stream has, if known.
    private let length: Int64?
    /// Whether frames precede the tag.
    ///
    /// If so, and the length of the stream is unknown, the reader does not skip a tag that is too
    /// large: frames may follow its header.
    var isAmidFrames = false
    /// Whether the end of the last tag is unknown because its size is wrong: more of the tag may
    /// follow.
    private(set) var isEndLost = false
    /// The offset of a tag whose first bytes were examined, and do not contradict its size.
    private var judgedOffset: Int64?
    /// The trouble event for the last reported tag.
    private var pending: AudioStreamFailure?
    /// How far the bytes at the front were examined.
    private var progress = TagProgress()

    /// A reader that has seen no tag yet.
    ///
    /// - Parameters:
    ///   - limits: how large a tag may be.
    ///   - length: how many bytes the stream has, if known.
    init(limits: AudioStreamLimits, length: Int64?) {
        self.limits = limits
        self.length = length
    }

    /// Takes the tag at the front of a window, if there is one.
    ///
    /// The reader skips a tag larger than the limit, even if its bytes have not arrived. If the end
    /// of the stream cuts a tag, the reader returns the readable part, and then
    /// ``AudioStreamFailure/Kind/truncated``. If the size of a tag reaches past the end of the
    /// stream, or over frames of audio, the reader ignores the size. It then takes only the header
    /// and the valid parts, with ``AudioStreamFailure/Kind/contradiction``.
    ///
    /// - Parameter window: the stream from the possible start of a tag.
    /// - Returns: the contents of the tag, or the trouble with a skipped tag; another tag may
    ///   follow. At the end of the stream, the result is never ``Reading/needsMore``.
    mutating func read(_ window: inout ByteWindow) -> Reading<AudioStreamEvent> {
        if let trouble = self.takeTrouble() { return .found(.trouble(trouble)) }
        switch TagForm.recognize(&window, &self.progress) {
        case .none: return .none
        case .needsMore: return .needsMore
        case .passedOver(let kind, let count): return self.pass(&window, kind, count)
        case .tag(let form, let count): return self.take(&window, form, count)
        }
    }

    /// The trouble of the last reported tag; further calls return `nil`.
    ///
    /// A parser calls this before it reads a frame after a tag.
    mutating func takeTrouble() -> AudioStreamFailure? {
        defer { self.pending = nil }
        return self.pending
    }

    /// Skips bytes; if the stream has fewer bytes, skips only a header of ten bytes.
    private mutating func pass(
        _ window: inout ByteWindow,
        _ kind: AudioStreamFailure.Kind,
        _ count: Int64
    ) -> Reading<AudioStreamEvent> {
        let start = window.offset
        self.judgedOffset = nil
        self.isEndLost = self.left(window).map { count > $0 } ?? false
        window.skip(self.isEndLost ? min(10, count) : count)
        return .found(.trouble(AudioStreamFailure(kind, start..<window.offset)))
    }

    /// How many bytes the stream has from the window's front on; `nil` if unknown, or if the window
    /// has more.
    private func left(_ window: borrowing ByteWindow) -> Int64? {
        guard let length = self.length, length - window.offset >= Int64(window.count) else {
            return nil
        }
        return length - window.offset
    }

    /// Takes a tag as soon as it is whole; at the end of the stream, takes the part that has
    /// arrived.
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
            // Without a length, an impossible size would hide all frames up to the end of the
            // stream.
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

    /// Takes the valid parts of a tag that is cut, or whose size is wrong.
    ///
    /// - Parameters:
    ///   - form: the kind of tag.
    ///   - view: the tag, as far as it is examined.
    ///   - extent: the extent of the tag's parts in these bytes.
    ///   - isAll: whether the stream ends with the view.
    ///   - window: the stream.
    /// - Returns: the contents of the parts, if audio or the end of the stream follows them;
    ///   otherwise the trouble.
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

    /// Reads a tag, and drops its bytes.
    ///
    /// - Parameters:
    ///   - form: the kind of tag.
    ///   - view: the bytes to read, from the tag's first byte on; empty to read nothing.
    ///   - extent: the bytes to drop.
    ///   - kind: the trouble with the tag's size; `nil` if the size is right.
    ///   - window: the stream.
    /// - Returns: the contents, or the trouble.
    private mutating func report(
        _ form: TagForm,
        _ view: ByteView,
        _ extent: TagExtent,
        _ kind: AudioStreamFailure.Kind?,
        _ window: inout ByteWindow
    ) -> Reading<AudioStreamEvent> {
        let range = window.offset..<window.offset + Int64(extent.count)
        let contents = view.isEmpty ? nil : form.read(view, range: range)
        window.drop(extent.count)
        self.judgedOffset = nil
        self.isEndLost = kind != nil && extent.ending != .audio
        let trouble = (kind ?? contents?.trouble).map { AudioStreamFailure($0, range) }
        // A whole, empty tag is reported too: the caller learns that there was a tag.
        if let trouble, contents?.isEmpty ?? true { return .found(.trouble(trouble)) }
        guard let contents else { return .none }
        self.pending = trouble
        return .found(.tags(contents.tags))
    }
}
