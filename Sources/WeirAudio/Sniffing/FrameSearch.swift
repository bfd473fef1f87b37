// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Looks for frames that agree: the first chain of enough frames decides the format.
struct FrameSearch {
    /// A number of frames in a row that agree.
    typealias Chain = (container: AudioContainer, count: Int)

    /// How many frames in a row must agree at the front of the stream.
    ///
    /// A header of MPEG audio or ADTS occurs by chance once in some thousand random bytes; two more
    /// headers at the right distances, which agree with it in some 17 bits, occur once in 10¹³. In
    /// LOAS only 11 bits must agree: three headers occur by chance once in 10¹⁰.
    static let enough = 3
    /// How many frames must agree after garbage, unless they reach the last available byte.
    ///
    /// Other formats hold bytes that look like a few frames: the tables of video, quiet samples.
    static let enoughBehindGarbage = 12
    /// How many frames in free format must agree: only equal distances link them.
    private static let enoughFree = 5
    /// The longest frame of free format that the search looks for.
    private static let freeFrameLimit = 4608

    let view: ByteView
    /// Whether the stream ends with the view.
    let isAtEnd: Bool
    /// Whether this is the last examination: a chain that needs more bytes is then given up.
    let isLast: Bool

    init(_ view: ByteView, isAtEnd: Bool, isLast: Bool) {
        self.view = view
        self.isAtEnd = isAtEnd
        self.isLast = isLast
    }

    /// Tries each byte as the start of a chain.
    ///
    /// - Parameter limit: a chain must start before this offset.
    /// - Returns: the first chain, `needsMore`, or `none`.
    func run(limit: Int) -> Reading<Chain> {
        var start = 0
        while start < min(limit, self.view.count) {
            defer { start += 1 }
            guard self.view[start] == 0xFF || self.view[start] == 0x56 else { continue }
            guard start + FrameMark.byteCount <= self.view.count else {
                if self.isLast { continue }
                return .needsMore
            }
            guard let mark = FrameMark(self.view, at: start) else { continue }
            let outcome: Reading<Chain>
            if mark.count == nil {
                // After garbage, such headers are more often chance than frames.
                outcome = start == 0 ? self.freeChain(mark) : .none
            } else {
                outcome = self.chain(from: start, mark)
            }
            switch outcome {
            case .found: return outcome
            case .needsMore where !self.isLast: return outcome
            default: continue
            }
        }
        return self.isLast || self.view.count >= limit ? .none : .needsMore
    }

    /// Follows the lengths of frames.
    private func chain(from start: Int, _ first: FrameMark) -> Reading<Chain> {
        var mark = first
        var offset = start
        var agreeing = 1
        let enough = start == 0 ? Self.enough : Self.enoughBehindGarbage
        while agreeing < enough {
            guard let count = mark.count else { return .none }
            offset += count
            guard offset + FrameMark.byteCount <= self.view.count else {
                if agreeing >= Self.enough { break }
                guard self.isAtEnd else { return .needsMore }
                // The stream ends with this frame or within it, and all frames agree. A single
                // frame is accepted only at the very front.
                let whole = offset <= self.view.count ? agreeing : agreeing - 1
                return whole > (start == 0 ? 0 : 1) ? .found((first.container, whole)) : .none
            }
            guard let next = FrameMark(self.view, at: offset), next.agrees(with: first) else {
                let isTrailed = Self.isTrailer(self.view.from(offset))
                let isWhole = agreeing >= Self.enough || self.isAtEnd && start == 0
                return isTrailed && isWhole ? .found((first.container, agreeing)) : .none
            }
            mark = next
            agreeing += 1
        }
        return .found((first.container, agreeing))
    }

    /// Looks for further headers at equal distances from the front, with or without a padding slot.
    private func freeChain(_ first: FrameMark) -> Reading<Chain> {
        let limit = min(Self.freeFrameLimit, self.view.count - FrameMark.byteCount)
        var distance = 24
        while distance <= limit {
            defer { distance += 1 }
            guard self.view[distance] == 0xFF, self.isLike(first, distance) else { continue }
            var agreeing = 2
            var offset = distance
            while agreeing < Self.enoughFree,
                let shift = [0, 1, -1, 4, -4].first(where: {
                    self.isLike(first, offset + distance + $0)
                })
            {
                offset += distance + shift
                agreeing += 1
            }
            let isAll =
                self.isAtEnd && agreeing >= Self.enough && offset + distance >= self.view.count
            if agreeing == Self.enoughFree || isAll { return .found((first.container, agreeing)) }
        }
        let isShort = self.view.count < (Self.enoughFree - 1) * Self.freeFrameLimit + 16
        return isShort && !self.isAtEnd ? .needsMore : .none
    }

    private func isLike(_ first: FrameMark, _ offset: Int) -> Bool {
        guard offset + FrameMark.byteCount <= self.view.count else { return false }
        return FrameMark(self.view, at: offset)?.agrees(with: first) == true
    }

    /// Whether the bytes after the last frame are a tag.
    private static func isTrailer(_ view: ByteView) -> Bool {
        view.matches("TAG") || view.matches("APETAGEX") || view.matches("LYRICSBEGIN")
            || view.matches("ID3")
    }
}
