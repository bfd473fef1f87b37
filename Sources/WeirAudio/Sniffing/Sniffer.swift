// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds out what a stream is while its bytes come; see ``AudioTypeGuess``.
///
/// Remembers which steps were examined, so that the work is bounded however small the chunks are.
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
    /// How many numbers of bytes, behind the tags, are examined.
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
            if let found = self.examined(view.from(start), isLast: isLast, isAtEnd: false) {
                return found
            }
            if isLast { return self.guessed(isAfterTag: isAfterTag) }
        }
        guard window.isAtEnd else { return .needsMore }
        let count = self.steps[self.steps.count - 1]
        let view = window.peek(upTo: start + count).from(start)
        guard !view.isEmpty || isAfterTag else { return .unknown }
        return self.examined(view, isLast: true, isAtEnd: true)
            ?? self.guessed(isAfterTag: isAfterTag)
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

    /// What bytes tell.
    ///
    /// - Parameters:
    ///   - view: as many as a step has, or all.
    ///   - isLast: whether no more bytes will be examined.
    ///   - isAtEnd: whether the stream has no more.
    /// - Returns: `nil` if they do not tell.
    private func examined(_ view: ByteView, isLast: Bool, isAtEnd: Bool) -> Sniffing? {
        if let container = AudioContainer.container(at: view) {
            return .container(container, agreeingFrames: 1)
        }
        switch ForeignFormat.find(view, isAtEnd: isAtEnd || isLast) {
        case .found: return .unknown
        case .needsMore: return nil
        case .none: break
        }
        let search = FrameSearch(view, isAtEnd: isAtEnd, isLast: isLast)
        let outcome = search.run(limit: self.searchLimit)
        if case .found(let chain) = outcome {
            return .container(chain.container, agreeingFrames: chain.count)
        }
        // Before frames are waited for: a page may be short, and stay all there is.
        let isEnough = view.count >= Sniffing.textCount || isAtEnd
        if isEnough, let text = Sniffing.text(view, hint: self.hint) { return text }
        guard case .none = outcome, isLast else { return nil }
        if AudioContainer.isFLACFrame(view) { return .container(.flac, agreeingFrames: 1) }
        return AudioContainer.hasOggPage(view) ? .container(.ogg, agreeingFrames: 1) : nil
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

    /// Whether a frame of FLAC stands in front that says all that a decoder needs: a stream without its header.
    static func isFLACFrame(_ view: ByteView) -> Bool {
        let front = view[0..<min(view.count, FLACFrameHeader.maximumByteCount)]
        guard case .found(let header) = FLACFrameHeader.read(front, info: nil) else { return false }
        return header.sampleRate != nil && header.bitsPerSample != nil
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
