// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds out the format of a stream while its bytes arrive; see ``AudioTypeGuess``.
///
/// It remembers the examined steps, so that the work is bounded even for small chunks.
struct Sniffer: Sendable {
    /// How much garbage may precede the frames.
    static let searchCount = 16 << 10
    /// How much garbage may precede the frames, if the hint names MPEG audio or ADTS.
    static let hintedSearchCount = 64 << 10
    /// How many bytes after the last possible start of a chain are examined: two of the largest
    /// ADTS frames, and a header.
    static let chainCount = 2 * 8191 + 18
    /// The most bytes of ID3v2 tags that the sniffer skips.
    static let tagLimit: Int64 = 16 << 20

    let hint: AudioTypeHint
    /// The numbers of bytes after the tags at which the sniffer examines the bytes.
    private let steps: [Int]
    private var nextStep = 0
    /// How many bytes the leading ID3v2 tags have, as far as known.
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

    /// The offset before which a chain of frames must start.
    private var searchLimit: Int {
        self.steps.count > 9 ? Self.hintedSearchCount : Self.searchCount
    }

    /// Finds out the format at the front of a window; pass the same window in every call.
    ///
    /// - Parameter window: the stream; the call takes nothing from it.
    /// - Returns: the result; at the end of the stream never ``Sniffing/needsMore``.
    mutating func guess(_ window: inout ByteWindow) -> Sniffing {
        guard self.readTags(&window) else { return .needsMore }
        // The sniffer does not wait for the end of such a large tag.
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

    /// Skips ID3v2 tags.
    ///
    /// - Returns: `false` if more bytes are needed.
    private mutating func readTags(_ window: inout ByteWindow) -> Bool {
        while !self.areTagsRead, self.tagCount <= Self.tagLimit {
            let count = Int(self.tagCount)
            let isShort = window.count < count + 10
            if isShort, !window.isAtEnd {
                // Do not wait for more bytes if these do not begin a tag.
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

    /// The format that the bytes show.
    ///
    /// - Parameters:
    ///   - view: the bytes of a step, or all bytes.
    ///   - isLast: whether this is the last examination.
    ///   - isAtEnd: whether the stream has no more bytes.
    /// - Returns: `nil` if the bytes do not decide.
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
        // Before the wait for frames: a page may be short and have no further bytes.
        let isEnough = view.count >= Sniffing.textCount || isAtEnd
        if isEnough, let text = Sniffing.text(view, hint: self.hint) { return text }
        guard case .none = outcome, isLast else { return nil }
        if AudioContainer.isFLACFrame(view) { return .container(.flac, agreeingFrames: 1) }
        return AudioContainer.hasOggPage(view) ? .container(.ogg, agreeingFrames: 1) : nil
    }

    /// The result if the bytes do not decide.
    private func guessed(isAfterTag: Bool) -> Sniffing {
        if let container = self.hint.container { return .container(container, agreeingFrames: 0) }
        // There is a tag and no known format after it: most such tags belong to MPEG audio.
        return isAfterTag ? .container(.mpegAudio, agreeingFrames: 0) : .unknown
    }
}

/// The first bytes that identify a format.
extension AudioContainer {
    /// The format that the first bytes identify.
    ///
    /// - Parameter view: the front of a stream.
    /// - Returns: `nil` if the bytes identify no format, or are too few.
    static func container(at view: ByteView) -> AudioContainer? {
        let type = FormatSignature.first(in: view.bytes)?.type
        return AudioTypeHint(mediaType: type?.essence).container
    }

    /// Whether the view starts with a FLAC frame of a stream without its header.
    ///
    /// The frame itself must state the sample rate and the sample size that a decoder needs.
    static func isFLACFrame(_ view: ByteView) -> Bool {
        let front = view[0..<min(view.count, FLACFrameHeader.maximumByteCount)]
        guard case .found(let header) = FLACFrameHeader.read(front, info: nil) else { return false }
        return header.sampleRate != nil && header.bitsPerSample != nil
    }

    /// Whether the view holds an Ogg page anywhere (RFC 3533 §6: version 0, flags 0 to 7).
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
