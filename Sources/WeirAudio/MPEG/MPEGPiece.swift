// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A part of a stream that was encoded at once: what its tag says, and what is to be dropped of it.
///
/// Most streams are one piece. Where files were joined, each tag begins another.
struct MPEGPiece: Sendable {
    /// Where in time a piece is heard: nothing is before the head's end, and from the tail's start on; the end is what
    /// its tag says, or never if that is not known.
    typealias Bounds = (headEnd: Int64, tailStart: Int64, end: Int64)

    /// When its first frame starts.
    let base: Int64
    /// How many samples a frame has.
    let frame: Int64
    /// What its tag says.
    private(set) var tag: MPEGInfoTag?
    /// Where the frame is that holds the tag.
    private(set) var tagRange: Range<Int64>?
    /// Samples to drop at the start.
    private(set) var leading: Int64 = 0
    /// Samples to drop at the end; `nil` if nothing says so.
    private(set) var trailing: Int64?
    /// The times that packets are compared with.
    private(set) var bounds: Bounds

    /// A piece of which nothing is known.
    init(base: Int64, frame: Int) {
        self.base = base
        self.frame = Int64(frame)
        self.bounds = (base, .max, .max)
    }

    /// The rest of a part that a search has found, from one of its frames on: its beginning was passed.
    init(_ part: MPEGPart, base: Int64) {
        self.init(base: base, frame: part.header.sampleCount)
        self.tag = part.tag
        self.tagRange = part.tag == nil ? nil : part.tagRange
        guard let extent = part.extent else { return }
        self.trailing = extent.trailing
        self.bounds.end = base &+ extent.samples
        self.bounds.tailStart = max(base, self.bounds.end &- extent.trailing)
    }

    /// Where the bytes end that its tag counts; `nil` if it does not say, or is not believed.
    var bytesEnd: Int64? {
        guard let tag = self.tag, tag.isFrameCountBelieved, let range = self.tagRange,
            let bytes = tag.byteCount
        else { return nil }
        return range.lowerBound + bytes
    }

    /// Whether a frame can be one of the last that the tag counts, by where it is.
    ///
    /// - Parameters:
    ///   - offset: where it is.
    ///   - size: how many bytes it has.
    ///   - start: when it starts.
    /// - Returns: whether its place does not contradict its number; that is asked only of joined files.
    func isAtEnd(offset: Int64, size: Int, start: Int64) -> Bool {
        guard let end = self.bytesEnd, self.tag?.isPart == true else { return true }
        let left = max(1, (self.bounds.end &- start) / self.frame)
        let distance = end - offset - Int64(size)
        let largest = Int64(MPEGFrameHeader.largestFreeFrame)
        return distance > -largest && distance < left * largest
    }

    /// Whether anything says how much to drop.
    var trim: AudioTrim? {
        guard self.leading > 0 || self.trailing != nil else { return nil }
        return AudioTrim(
            leading: SampleCount(self.leading),
            trailing: self.trailing.map { SampleCount($0) }
        )
    }

    /// How many samples are heard, by its tag; `nil` if it does not say, or is not believed.
    var declared: Int64? {
        guard self.bounds.end != .max else { return nil }
        return max(0, self.bounds.end &- self.base &- self.leading &- (self.trailing ?? 0))
    }

    /// Takes what the tag says.
    mutating func learn(_ tag: MPEGInfoTag, in range: Range<Int64>) {
        self.tag = tag
        self.tagRange = range
        self.settle(leading: tag.leading, trailing: tag.trailing, frames: tag.frameCount)
    }

    /// The first frame with sound has come.
    mutating func begins(with header: MPEGFrameHeader, length: Int64?) {
        guard let range = self.tagRange else { return }
        self.tag?.complete(range, sound: header, length: length)
    }

    /// Takes what iTunes says, unless an encoder's tag does.
    mutating func learn(_ gap: EncoderGap) {
        guard self.tag?.delay == nil else { return }
        // No encoder adds that much; and sums of less do not overflow.
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

    /// Believes no longer how many frames there are, and that anything is to be dropped at the end.
    mutating func disbelieve() {
        self.tag?.isFrameCountBelieved = false
        self.trailing = nil
        self.forgetEnd()
    }

    /// The times of the next frames are not certain: its end cannot be told by them.
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
