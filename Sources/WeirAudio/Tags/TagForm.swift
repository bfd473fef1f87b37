// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The kinds of tags that may be anywhere in a stream, and how to recognise them.
enum TagForm: Hashable, Sendable {
    /// ID3 version 2.2 to 2.4.
    case id3v2
    /// ID3 version 1: 128 bytes.
    case id3v1
    /// APE version 1 or 2 with a header, or with a footer only.
    case ape
    /// Lyrics3 version 1 or 2.
    case lyrics3

    /// How far to look for the end of an APE tag without a header, or of Lyrics3 version 2.
    static let searchLimit = 64 << 10

    /// Recognises the tag at the front of a window.
    ///
    /// - Parameters:
    ///   - window: the stream from the possible start of a tag.
    ///   - progress: how far earlier calls with fewer bytes examined the tag.
    /// - Returns: the result; at the end of the stream, never ``TagReader/Recognition/needsMore``.
    static func recognize(
        _ window: inout ByteWindow,
        _ progress: inout TagProgress
    ) -> TagReader.Recognition {
        progress.begin(at: window.offset)
        let view = window.peek(upTo: 32)
        guard view.count > 0 else { return window.isAtEnd ? .none : .needsMore }
        let isAtEnd = window.isAtEnd
        let recognition: TagReader.Recognition? =
            switch view[0] {
            case UInt8(ascii: "I"): Self.recognizeID3v2(view, isAtEnd: isAtEnd)
            case UInt8(ascii: "T"): Self.recognizeID3v1(&window)
            case UInt8(ascii: "A"): Self.recognizeAPE(view, isAtEnd: isAtEnd)
            case UInt8(ascii: "L"): Self.recognizeLyrics3(&window, &progress)
            default: nil
            }
        if let recognition {
            guard case .none = recognition else { return recognition }
        }
        return Self.recognizeHeaderlessAPE(&window, &progress)
    }

    /// Reads a tag.
    ///
    /// - Parameters:
    ///   - view: the tag from its first byte on, as far as it has arrived.
    ///   - range: the range of the tag in the stream.
    /// - Returns: the contents.
    func read(_ view: ByteView, range: Range<Int64>) -> TagContents {
        switch self {
        case .id3v2: ID3v2Tag.read(view, range: range)
        case .id3v1: Self.readID3v1(view, range: range)
        case .ape: Self.readAPE(view, range: range)
        case .lyrics3: Self.readLyrics3(view, range: range)
        }
    }

    /// Whether a view begins with a text; `nil` if the view is too short to decide and more bytes
    /// may arrive.
    static func begins(_ view: ByteView, with text: StaticString, isAtEnd: Bool) -> Bool? {
        let common = min(view.count, text.utf8CodeUnitCount)
        for index in 0..<common where view[index] != text.utf8Start[index] { return false }
        if common == text.utf8CodeUnitCount { return true }
        return isAtEnd ? false : nil
    }

    private static func recognizeID3v2(_ view: ByteView, isAtEnd: Bool) -> TagReader.Recognition {
        guard let isTag = Self.begins(view, with: "ID3", isAtEnd: isAtEnd) else {
            return .needsMore
        }
        guard isTag, ID3v2Header.isPossible(view) else { return .none }
        guard let header = ID3v2Header(view) else {
            return isAtEnd ? .passedOver(.truncated, count: Int64(view.count)) : .needsMore
        }
        return header.isKnownVersion
            ? .tag(.id3v2, count: header.tagCount) : .passedOver(.badTag, count: header.tagCount)
    }

    private static func recognizeID3v1(_ window: inout ByteWindow) -> TagReader.Recognition {
        let isAtEnd = window.isAtEnd
        let view = window.peek(upTo: Self.enhancedID3v1Count + 3)
        guard let isTag = Self.begins(view, with: "TAG", isAtEnd: isAtEnd) else {
            return .needsMore
        }
        guard isTag, Self.mayBeID3v1(view) else { return .none }
        if view.count > 3, view[3] == UInt8(ascii: "+") {
            guard view.count == Self.enhancedID3v1Count + 3 || isAtEnd else { return .needsMore }
            if view.matches("TAG", at: Self.enhancedID3v1Count) {
                return .passedOver(.badTag, count: Int64(Self.enhancedID3v1Count))
            }
        }
        guard view.count >= Self.id3v1Count || isAtEnd else { return .needsMore }
        return .tag(.id3v1, count: Int64(Self.id3v1Count))
    }
}

/// How far the bytes of a possible tag were examined, while its end has not arrived.
///
/// Later calls examine only newer bytes, so that bytes that arrive singly are not examined again
/// each time.
struct TagProgress: Sendable {
    /// The offset of the possible tag.
    private var start: Int64?
    /// How many bytes of items of an APE tag were passed.
    var items = 0
    /// How many items of an APE tag were passed.
    var itemCount = 0
    /// How many bytes of Lyrics3 were passed, up to the start of a field.
    var fields = 0
    /// How many fields of Lyrics3 were passed.
    var fieldCount = 0
    /// The range of the stream in which no `LYRICSEND` starts.
    private var endless: Range<Int64> = 0..<0

    /// Starts the examination of a possible tag.
    mutating func begin(at offset: Int64) {
        guard self.start != offset else { return }
        self.start = offset
        self.items = 0
        self.itemCount = 0
        self.fields = 0
        self.fieldCount = 0
    }

    /// The offset from which to look for a `LYRICSEND`.
    ///
    /// - Parameter offset: the start of the text.
    /// - Returns: this offset, or the end of the range that was already searched from there.
    func searchStart(_ offset: Int64) -> Int64 {
        self.endless.contains(offset) ? self.endless.upperBound : offset
    }

    /// Records that no `LYRICSEND` starts in a range.
    mutating func ruledOut(_ range: Range<Int64>) {
        let isNext = self.endless.contains(range.lowerBound)
        self.endless =
            isNext
            ? self.endless.lowerBound..<max(self.endless.upperBound, range.upperBound) : range
    }
}
