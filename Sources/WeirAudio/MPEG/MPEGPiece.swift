// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A part of a stream that comes from one encoding: its tag, and the samples to drop.
///
/// Most streams are one piece. In joined files, each tag begins a new piece.
struct MPEGPiece: Sendable {
    /// The times between which a piece is heard.
    ///
    /// The samples before `headEnd` and from `tailStart` on are dropped. `end` is the end that the
    /// tag states, or `.max` if the end is unknown.
    typealias Bounds = (headEnd: Int64, tailStart: Int64, end: Int64)

    /// When the first frame starts.
    let base: Int64
    /// How many samples a frame has.
    let frame: Int64
    /// The piece's tag.
    private(set) var tag: MPEGInfoTag?
    /// The range of the tag's frame.
    private(set) var tagRange: Range<Int64>?
    /// Samples to drop at the start.
    private(set) var leading: Int64 = 0
    /// Samples to drop at the end; `nil` if unknown.
    private(set) var trailing: Int64?
    /// The times with which the parser compares packets.
    private(set) var bounds: Bounds

    /// A piece about which nothing is known.
    init(base: Int64, frame: Int) {
        self.base = base
        self.frame = Int64(frame)
        self.bounds = (base, .max, .max)
    }

    /// A piece for the rest of a part that a search has found, from a frame after the part's
    /// beginning on.
    init(_ part: MPEGPart, base: Int64) {
        self.init(base: base, frame: part.header.sampleCount)
        self.tag = part.tag
        self.tagRange = part.tag == nil ? nil : part.tagRange
        guard let extent = part.extent else { return }
        self.trailing = extent.trailing
        self.bounds.end = base &+ extent.samples
        self.bounds.tailStart = max(base, self.bounds.end &- extent.trailing)
    }

    /// The end of the bytes that the tag counts; `nil` if the tag has no byte count, or its frame
    /// count is not believed.
    var bytesEnd: Int64? {
        guard let tag = self.tag, tag.isFrameCountBelieved, let range = self.tagRange,
            let bytes = tag.byteCount
        else { return nil }
        return range.lowerBound + bytes
    }

    /// Whether a frame is where one of the last frames that the tag counts may be.
    ///
    /// - Parameters:
    ///   - offset: the offset of the frame.
    ///   - size: how many bytes the frame has.
    ///   - start: when the frame starts.
    /// - Returns: whether the frame's place fits the number of frames after it; always `true`
    ///   unless files were joined.
    func isAtEnd(offset: Int64, size: Int, start: Int64) -> Bool {
        guard let end = self.bytesEnd, self.tag?.isPart == true else { return true }
        let left = max(1, (self.bounds.end &- start) / self.frame)
        let distance = end - offset - Int64(size)
        let largest = Int64(MPEGFrameHeader.largestFreeFrame)
        return distance > -largest && distance < left * largest
    }

    /// How many samples to drop; `nil` if unknown.
    var trim: AudioTrim? {
        guard self.leading > 0 || self.trailing != nil else { return nil }
        return AudioTrim(
            leading: SampleCount(self.leading),
            trailing: self.trailing.map { SampleCount($0) }
        )
    }

    /// How many samples are heard, according to the tag; `nil` if the tag does not say, or its
    /// count is not believed.
    var declared: Int64? {
        guard self.bounds.end != .max else { return nil }
        return max(0, self.bounds.end &- self.base &- self.leading &- (self.trailing ?? 0))
    }

    /// Takes the facts of the tag.
    mutating func learn(_ tag: MPEGInfoTag, in range: Range<Int64>) {
        self.tag = tag
        self.tagRange = range
        self.settle(leading: tag.leading, trailing: tag.trailing, frames: tag.frameCount)
    }

    /// Completes the tag with the header of the first audio frame, which has arrived.
    mutating func begins(with header: MPEGFrameHeader, length: Int64?) {
        guard let range = self.tagRange else { return }
        self.tag?.complete(range, sound: header, length: length)
    }

    /// Takes the numbers of iTunes, unless the encoder's tag states them.
    mutating func learn(_ gap: EncoderGap) {
        guard self.tag?.delay == nil else { return }
        // No encoder adds so much, and sums of smaller numbers do not overflow.
        let limit: Int64 = 1 << 40
        let numbers = [gap.delay, gap.padding, gap.sampleCount]
        guard numbers.allSatisfy({ (0..<limit).contains($0) }) else { return }
        let total = gap.delay + gap.padding + gap.sampleCount
        let frames = total > 0 && total % self.frame == 0 ? total / self.frame : nil
        self.settle(
            leading: gap.delay + MPEGInfoTag.decoderDelay,
            trailing: max(0, gap.padding - MPEGInfoTag.decoderDelay),
            frames: self.tag?.frameCount ?? frames
        )
    }

    /// Ignores the tag's number of frames from now on, and drops nothing at the end.
    mutating func disbelieve() {
        self.tag?.isFrameCountBelieved = false
        self.trailing = nil
        self.forgetEnd()
    }

    /// Forgets when the piece ends: the tag is wrong, or the times of the next frames are
    /// uncertain.
    mutating func forgetEnd() {
        self.bounds.tailStart = .max
        self.bounds.end = .max
    }

    private mutating func settle(leading: Int64?, trailing: Int64?, frames: Int64?) {
        self.leading = leading ?? 0
        self.bounds.headEnd = self.base &+ self.leading
        guard self.tag?.isFrameCountBelieved != false, let frames else { return }
        self.trailing = trailing
        self.bounds.end = self.base &+ frames &* self.frame
        self.bounds.tailStart = max(self.base, self.bounds.end &- (trailing ?? 0))
    }
}
