// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds out what a stream is: by its bytes first, then by its media type, then by its extension.
///
/// The bytes are looked at where their number reaches one of a few steps, or at the end of the stream; so the answer
/// does not depend on how they were cut. ID3v2 tags in front are looked over, nothing is taken.
///
/// 1. What stands at the front: `OggS`, `fLaC`, `RIFF…WAVE`, boxes of MP4; `#EXTM3U`, `[playlist]`, `<asx`; HTML, XML,
///    JSON, text.
/// 2. Frames of MPEG audio, ADTS or LOAS: three in a row that agree, or all that there are up to the end. The first may
///    lie behind up to 16 KiB of garbage; behind up to 64 KiB if the hint says that it is MPEG audio or ADTS.
/// 3. A page of Ogg behind as much garbage: a stream that was joined.
/// 4. The hint.
public enum AudioTypeGuess {
    /// Finds out what bytes are that are all here.
    ///
    /// - Parameters:
    ///   - bytes: the first of a stream.
    ///   - isWhole: whether the stream has no more.
    ///   - hint: what its origin says.
    /// - Returns: what it is; ``Sniffing/needsMore`` only if it is not whole.
    public static func guess(
        _ bytes: ByteMemory,
        isWhole: Bool,
        hint: AudioTypeHint = AudioTypeHint()
    ) -> Sniffing {
        var window = ByteWindow()
        window.push(bytes)
        if isWhole { window.finish() }
        return Self.guess(&window, hint: hint)
    }

    /// Finds out what is at the front of a window.
    ///
    /// Every call starts anew: a caller that asks after each of many small chunks keeps a ``Sniffer``.
    static func guess(_ window: inout ByteWindow, hint: AudioTypeHint) -> Sniffing {
        var sniffer = Sniffer(hint: hint)
        return sniffer.guess(&window)
    }
}

/// What the first bytes of a stream turn out to be.
public enum Sniffing: Hashable, Sendable {
    /// A text that is no audio, as servers send it in place of what was asked for.
    public enum Page: String, Hashable, Sendable, CustomStringConvertible {
        /// HTML.
        case html = "an HTML page"
        /// XML that is no playlist.
        case xml = "an XML document"
        /// JSON.
        case json = "a JSON document"
        /// Any other text.
        case text = "plain text"

        /// What it is, with an article.
        public var description: String { self.rawValue }
    }

    /// A stream, and how many frames in a row agreed about it; 0 where only the hint says so, 1 where the first
    /// bytes are of no other format.
    case container(AudioContainer, agreeingFrames: Int)
    /// A page.
    case page(Page)
    /// A playlist.
    case playlist(Playlist.Kind)
    /// Nothing that is known.
    case unknown
    /// More bytes are needed; never at the end of the stream.
    case needsMore
}

/// Finds out what a stream is while its bytes come; see ``AudioTypeGuess``.
///
/// Remembers which steps were looked at, so that the work is bounded however small the chunks are.
struct Sniffer: Sendable {
    /// Behind how much garbage frames are looked for.
    static let searchCount = 16 << 10
    /// The same, where the hint says that there are frames.
    static let hintedSearchCount = 64 << 10
    /// How many bytes behind its first a chain of three frames may need: two of the largest ADTS frames, and a header.
    static let chainCount = 2 * 8191 + 18
    /// Behind how many bytes of ID3v2 tags anything is looked for.
    static let tagLimit: Int64 = 16 << 20

    let hint: AudioTypeHint
    /// How many numbers of bytes, behind the tags, are looked at.
    private let steps: [Int]
    private var nextStep = 0
    /// How many bytes of ID3v2 tags are in front, as far as known.
    private var tagCount: Int64 = 0
    private var areTagsRead = false

    init(hint: AudioTypeHint) {
        self.hint = hint
        let isHinted = hint.container == .mpegAudio || hint.container == .adts
        let first = [16, 64, 256, 1024, 2560, 4608, 8192, Self.searchCount]
        let last = [Self.searchCount + Self.chainCount]
        self.steps =
            first + last
            + (isHinted ? [Self.hintedSearchCount, Self.hintedSearchCount + Self.chainCount] : [])
    }

    /// How far frames may start from.
    private var searchLimit: Int {
        self.steps.count > 9 ? Self.hintedSearchCount : Self.searchCount
    }

    /// Finds out what is at the front of a window, which must be the same window each time, with more bytes.
    ///
    /// - Parameter window: the stream; nothing is taken.
    /// - Returns: what it is; ``Sniffing/needsMore`` never at the end.
    mutating func guess(_ window: inout ByteWindow) -> Sniffing {
        guard self.readTags(&window) else { return .needsMore }
        // So large a tag is not read to its end.
        guard self.tagCount <= Self.tagLimit else {
            return .container(self.hint.container ?? .mpegAudio, agreeingFrames: 0)
        }
        let start = Int(self.tagCount)
        let isAfterTag = start > 0
        while self.nextStep < self.steps.count, window.count >= start + self.steps[self.nextStep] {
            let count = self.steps[self.nextStep]
            self.nextStep += 1
            guard let view = window.peek(start + count) else { break }
            let isLast = self.nextStep == self.steps.count
            if let found = self.look(view.from(start), isLast: isLast, isAtEnd: false) {
                return found
            }
            if isLast { return self.guessed(isAfterTag: isAfterTag) }
        }
        guard window.isAtEnd else { return .needsMore }
        let count = self.steps[self.steps.count - 1]
        let view = window.peek(upTo: start + count).from(start)
        guard !view.isEmpty || isAfterTag else { return .unknown }
        return self.look(view, isLast: true, isAtEnd: true) ?? self.guessed(isAfterTag: isAfterTag)
    }

    /// Looks over ID3v2 tags; `false` if more bytes are needed for that.
    private mutating func readTags(_ window: inout ByteWindow) -> Bool {
        while !self.areTagsRead, self.tagCount <= Self.tagLimit {
            let count = Int(self.tagCount)
            let isShort = window.count < count + 10
            if isShort, !window.isAtEnd {
                // What does not begin as a tag need not be waited for.
                let view = window.peek(upTo: count + 10).from(count)
                guard view.isEmpty || TagForm.begins(view, with: "ID3", isAtEnd: false) != false
                else { break }
                return false
            }
            let view = window.peek(upTo: count + 10).from(count)
            guard let header = ID3v2Header(view) else { break }
            self.tagCount += header.tagCount
        }
        self.areTagsRead = true
        return true
    }

    /// Looks at bytes.
    ///
    /// - Parameters:
    ///   - view: as many as a step has, or all.
    ///   - isLast: whether a look at more will not come.
    ///   - isAtEnd: whether the stream has no more.
    /// - Returns: `nil` if they do not tell.
    private func look(_ view: ByteView, isLast: Bool, isAtEnd: Bool) -> Sniffing? {
        if let container = AudioContainer.container(at: view) {
            return .container(container, agreeingFrames: 1)
        }
        let search = FrameSearch(view, isAtEnd: isAtEnd, isLast: isLast)
        let outcome = search.run(limit: self.searchLimit)
        if case .found(let chain) = outcome {
            return .container(chain.container, agreeingFrames: chain.count)
        }
        // Before frames are waited for: a page may be short, and stay all there is.
        let isEnough = view.count >= Sniffing.textCount || isAtEnd
        if isEnough, let text = Sniffing.text(view, hint: self.hint) { return text }
        guard case .none = outcome, isLast, AudioContainer.hasOggPage(view) else { return nil }
        return .container(.ogg, agreeingFrames: 1)
    }

    /// What is left where the bytes do not tell.
    private func guessed(isAfterTag: Bool) -> Sniffing {
        if let container = self.hint.container { return .container(container, agreeingFrames: 0) }
        // A tag and nothing that is known behind it: the tag is one of MPEG audio, mostly.
        return isAfterTag ? .container(.mpegAudio, agreeingFrames: 0) : .unknown
    }
}

/// The first bytes by which formats are known.
extension AudioContainer {
    /// Which format the first bytes are of.
    ///
    /// - Parameter view: the front of a stream.
    /// - Returns: `nil` if of none, or if there are too few.
    static func container(at view: ByteView) -> AudioContainer? {
        if view.matches("OggS") { return .ogg }
        if view.matches("fLaC") { return .flac }
        guard view.count >= 12 else { return nil }
        if view.matches("WAVE", at: 8) {
            let isWave =
                view.matches("RIFF") || view.matches("RIFX") || view.matches("RF64")
                || view.matches("BW64")
            if isWave { return .wave }
        }
        return Self.isBox(view) ? .mp4 : nil
    }

    /// Whether a box of ISO 14496-12 stands in front that may come first: `u32 size | 4 name`.
    private static func isBox(_ view: ByteView) -> Bool {
        let size: UInt32 = view.big(0)
        // 1: a size of 64 bits follows; 0: up to the end, which only `mdat` has.
        guard size >= 8 || size <= 1 else { return false }
        let names: [StaticString] = [
            "ftyp", "moov", "mdat", "free", "skip", "wide", "pnot", "styp", "moof", "sidx", "emsg",
        ]
        return names.contains { view.matches($0, at: 4) }
    }

    /// Whether a page of Ogg stands anywhere (RFC 3533 §6: version 0, flags 0 to 7).
    static func hasOggPage(_ view: ByteView) -> Bool {
        var index = 0
        while let found = view.firstIndex(of: UInt8(ascii: "O"), from: index) {
            if view.matches("OggS\0", at: found), found + 5 < view.count, view[found + 5] <= 7 {
                return true
            }
            index = found + 1
        }
        return false
    }
}

/// Tells pages of text and playlists from audio.
extension Sniffing {
    /// How many bytes tell whether a stream is text, if it has as many.
    static let textCount = 1024

    /// Says what text it is.
    ///
    /// - Parameters:
    ///   - view: at least ``textCount`` bytes, or all there are; more do not count.
    ///   - hint: says which playlist lines of addresses, or of paths, are.
    /// - Returns: `nil` if it is no text.
    static func text(_ view: ByteView, hint: AudioTypeHint) -> Sniffing? {
        let view = view[0..<min(view.count, Self.textCount)]
        guard Self.isText(view) else { return nil }
        let text = PlaylistText(view)
        if let kind = text.kind { return .playlist(kind) }
        let start = PlaylistText.trimmed(text.units[...])
        guard !start.isEmpty else { return nil }
        if PlaylistText.begins(start, "<") { return .page(Self.isHTML(start) ? .html : .xml) }
        if hint.playlist != nil || PlaylistText.isAddress(start) {
            return .playlist(hint.playlist ?? .m3u)
        }
        let isJSON = start.first == UInt8(ascii: "{") || start.first == UInt8(ascii: "[")
        return .page(isJSON ? .json : .text)
    }

    /// Whether there are only bytes that a text has: no control characters, and UTF-8 or much more ASCII than not.
    private static func isText(_ view: ByteView) -> Bool {
        if Self.isWideText(view) { return true }
        var high = 0
        for index in 0..<view.count {
            switch view[index] {
            case 9, 10, 12, 13, 0x20...0x7E: continue
            case 0x80...0xFE: high += 1
            // 0xFF is in no text, and in every header of a frame.
            default: return false
            }
        }
        // A frame of audio that happens to have no control character is short, and mostly of high bytes.
        return view.count >= 4 && high * 4 <= view.count
    }

    /// Whether it is UTF-16 with a byte order mark, and every other byte of its start 0.
    private static func isWideText(_ view: ByteView) -> Bool {
        guard view.count >= 8 else { return false }
        let mark: UInt16 = view.big(0)
        guard mark == 0xFFFE || mark == 0xFEFF else { return false }
        let zero = mark == 0xFFFE ? 1 : 0
        return [2, 4, 6].allSatisfy { view[$0 + zero] == 0 && view[$0 + 1 - zero] >= 9 }
    }

    private static func isHTML(_ start: ArraySlice<UInt8>) -> Bool {
        let marks: [StaticString] = [
            "<!doctype html", "<html", "<head", "<body", "<title", "<script", "<meta", "<h1",
            "<div",
            "<p>", "<center",
        ]
        return marks.contains { PlaylistText.contains(start, $0) }
    }
}

/// Formats that are known by their first bytes and not read here; an error names them to the user.
extension AudioTypeGuess {
    /// How many bytes tell an MPEG transport stream.
    private static let foreignCount = 2 * 188 + 1

    private static let foreignMarks: [(mark: [UInt8], offset: Int, name: String)] = [
        ([0x30, 0x26, 0xB2, 0x75, 0x8E, 0x66, 0xCF, 0x11], 0, "Windows Media (ASF)"),
        ([0x1A, 0x45, 0xDF, 0xA3], 0, "Matroska or WebM"),
        (Array("AIFF".utf8), 8, "AIFF"), (Array("AIFC".utf8), 8, "AIFF-C"),
        (Array("AVI ".utf8), 8, "AVI"), (Array("WEBP".utf8), 8, "a WebP picture"),
        (Array("caff".utf8), 0, "Core Audio Format"), (Array("wvpk".utf8), 0, "WavPack"),
        (Array("MPCK".utf8), 0, "Musepack"), (Array("MP+".utf8), 0, "Musepack"),
        (Array("MAC ".utf8), 0, "Monkey's Audio"), (Array("TTA1".utf8), 0, "True Audio"),
        (Array("#!AMR".utf8), 0, "AMR"), (Array("MThd".utf8), 0, "MIDI"),
        (Array("FLV\u{1}".utf8), 0, "Flash Video"), (Array(".RMF".utf8), 0, "RealMedia"),
        (Array("DSD ".utf8), 0, "DSD"), ([0x0B, 0x77], 0, "AC-3"),
        ([0x7F, 0xFE, 0x80, 0x01], 0, "DTS"),
        ([0x00, 0x00, 0x01, 0xBA], 0, "an MPEG program stream"),
        ([0x1F, 0x8B, 0x08], 0, "gzip"), (Array("PK\u{3}\u{4}".utf8), 0, "a ZIP archive"),
        (Array("%PDF".utf8), 0, "PDF"), ([0xFF, 0xD8, 0xFF], 0, "a JPEG picture"),
        ([0x89, 0x50, 0x4E, 0x47], 0, "a PNG picture"), (Array("GIF8".utf8), 0, "a GIF picture"),
    ]

    /// The name of a format that Weir does not read, where the first bytes tell it.
    ///
    /// - Parameter window: a stream that ``guess(_:isWhole:hint:)`` finds ``Sniffing/unknown``.
    /// - Returns: a name with an article where it needs one, as "a ZIP archive"; `nil` if it is none of these.
    static func foreignName(_ window: inout ByteWindow) -> String? {
        let view = window.peek(upTo: Self.foreignCount)
        // A packet of an MPEG transport stream starts every 188 bytes (ISO 13818-1 §2.4.3.2).
        if view.count >= Self.foreignCount, [0, 188, 376].allSatisfy({ view[$0] == 0x47 }) {
            return "an MPEG transport stream"
        }
        return Self.foreignMarks.first { mark, offset, _ in
            view.count >= offset + mark.count
                && mark.indices.allSatisfy { view[offset + $0] == mark[$0] }
        }?.name
    }
}
