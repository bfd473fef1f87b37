// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The kinds of tags that stand by themselves in a stream, and how each is recognised.
enum TagForm: Hashable, Sendable {
    /// ID3 version 2.2 to 2.4.
    case id3v2
    /// ID3 version 1: 128 bytes.
    case id3v1
    /// APE version 1 or 2 with a header, or with a footer only.
    case ape
    /// Lyrics3 version 1 or 2.
    case lyrics3

    /// How far an APE tag without a header, or Lyrics3 of version 1, is looked through for its end.
    static let searchLimit = 64 << 10

    /// Says what is at the front of a window.
    ///
    /// - Parameters:
    ///   - window: the stream from where a tag may start.
    ///   - progress: how far it was looked through before, with fewer bytes.
    /// - Returns: what it is; at the end of the stream never ``TagReader/Recognition/needsMore``.
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
            case UInt8(ascii: "L"): Lyrics3Tag.recognize(&window, &progress)
            default: nil
            }
        if let recognition {
            guard case .none = recognition else { return recognition }
        }
        return APETag.recognizeHeaderless(&window, &progress)
    }

    /// Reads a tag.
    ///
    /// - Parameters:
    ///   - view: the tag from its first byte on.
    ///   - isWhole: whether all of it is there.
    ///   - range: where it is in the stream.
    /// - Returns: what it says.
    func read(_ view: ByteView, isWhole: Bool, range: Range<Int64>) -> TagContents {
        switch self {
        case .id3v2: ID3v2Tag.read(view, isWhole: isWhole, range: range)
        case .id3v1: ID3v1Tag.read(view, range: range)
        case .ape: APETag.read(view, range: range)
        case .lyrics3: Lyrics3Tag.read(view, range: range)
        }
    }

    /// Whether a view begins with a text; `nil` if it is too short to tell and more may come.
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
        let view = window.peek(upTo: ID3v1Tag.enhancedCount + 3)
        guard let isTag = Self.begins(view, with: "TAG", isAtEnd: isAtEnd) else {
            return .needsMore
        }
        guard isTag, ID3v1Tag.isPossible(view) else { return .none }
        if view.count > 3, view[3] == UInt8(ascii: "+") {
            guard view.count == ID3v1Tag.enhancedCount + 3 || isAtEnd else { return .needsMore }
            if view.matches("TAG", at: ID3v1Tag.enhancedCount) {
                return .passedOver(.badTag, count: Int64(ID3v1Tag.enhancedCount))
            }
        }
        guard view.count >= ID3v1Tag.count || isAtEnd else { return .needsMore }
        return .tag(.id3v1, count: Int64(ID3v1Tag.count))
    }

    private static func recognizeAPE(_ view: ByteView, isAtEnd: Bool) -> TagReader.Recognition {
        guard let isTag = Self.begins(view, with: "APETAGEX", isAtEnd: isAtEnd) else {
            return .needsMore
        }
        guard isTag else { return .none }
        guard view.count == 32 else {
            return isAtEnd ? .passedOver(.truncated, count: Int64(view.count)) : .needsMore
        }
        guard let header = APEFooter(view) else { return .none }
        // A footer, the items of which went by unknown.
        guard header.isHeader else { return .passedOver(.badTag, count: 32) }
        return .tag(.ape, count: 32 + Int64(header.size))
    }
}
