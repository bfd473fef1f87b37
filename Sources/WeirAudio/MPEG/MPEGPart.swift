// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A part of a stream that was joined from files, as the part's own tag describes it.
///
/// Advertisements before or within a podcast make such streams. A tag is valid only for the bytes
/// that it counts.
struct MPEGPart: Sendable {
    /// The bytes and the samples that a tag describes.
    struct Extent: Hashable, Sendable {
        /// The offset where the last frame ends.
        var end: Int64
        /// How many samples the frames hold.
        var samples: Int64
        /// Samples to drop at the start.
        var leading: Int64
        /// Samples to drop at the end.
        var trailing: Int64

        /// How many samples are heard.
        var heard: Int64 { max(0, self.samples - self.leading - self.trailing) }
    }

    /// The range of the tag's frame; without a tag, empty at the first frame.
    let tagRange: Range<Int64>
    /// The offset of the first audio frame.
    let first: Int64
    /// The header of an audio frame.
    let header: MPEGFrameHeader
    /// The part's tag.
    let tag: MPEGInfoTag?
    /// The extent that the tag describes; `nil` if the end is unknown: the part then lasts to the
    /// end of the stream.
    var extent: Extent?
    /// Whether a search saw a tag, a frame, or the end of the stream where the part ends.
    var isProved = false
    /// A few of the part's bytes, and how long they last.
    var sample: FrameStretch?

    /// Whether all frames have the same bit rate, so that times determine offsets.
    var isConstant: Bool {
        guard let tag, tag.kind == .info, let extent, !self.header.isFreeFormat else {
            return false
        }
        let frames = extent.samples / Int64(self.header.sampleCount)
        guard let bytes = self.header.byteCount(of: frames) else { return false }
        let size = Int64(self.header.frameSize(freeSize: 0))
        return abs(extent.end - self.tagRange.upperBound - bytes) <= 2 * size
    }

    /// The relation between time and bytes, with the time of the first frame as 0.
    var rate: FrameSeekMethod<MPEGFrameHeader>.Rate {
        if self.isConstant {
            return .constant(
                bytes: Int64(self.header.kilobitsPerSecond * 1000),
                samples: 8 * Int64(self.header.sampleRate)
            )
        }
        if let tag, let extent,
            let marks = tag.marks(
                tagRange: self.tagRange,
                first: Bisection.Mark(offset: self.first, start: 0),
                samples: extent.samples,
                bytes: extent.end - self.tagRange.lowerBound,
                frame: Int64(self.header.sampleCount)
            )
        {
            return .table(marks)
        }
        return .measured(density: nil)
    }
}

/// The parts of a stream from a given part on, as far as known.
struct MPEGOutline: Sendable {
    /// The place where a search has ended.
    struct Landing: Sendable {
        /// The index of the part.
        var index: Int
        /// The offset in the stream.
        var offset: Int64
        /// When the frame there starts, counted from the first frame of the part, at the part's
        /// sample rate.
        var start: Int64
    }

    /// The most parts; further parts count as belonging to the last one.
    static let capacity = 64

    /// The parts in their order; the first has a tag.
    var parts: [MPEGPart]
    /// Whether no audio follows the last part.
    var isComplete = false
    /// Where the stream ends.
    let length: Int64
    /// The place where the search ended that found this outline.
    var landing: Landing?

    /// How long all parts are heard.
    ///
    /// - Parameter sampleRate: the rate of the returned number of samples.
    /// - Returns: `declared` if tags describe everything, otherwise `estimated`; `nil` until the
    ///   search has examined the last part.
    func duration(sampleRate: Int) -> AudioDuration? {
        var sum: Int64 = 0
        for part in self.parts {
            let rate = Int64(part.header.sampleRate)
            guard let extent = part.extent else {
                guard let sample = part.sample, sample.samples > 0 else { return nil }
                let left = min(Double(max(0, self.length - part.first)) * sample.density, 0x1p56)
                let rest = Int64(left).scaled(by: Int64(sampleRate), over: rate) ?? 0
                return AudioDuration(SampleCount(sum &+ rest), .estimated)
            }
            sum &+= extent.heard.scaled(by: Int64(sampleRate), over: rate) ?? 0
        }
        return self.isComplete ? AudioDuration(SampleCount(sum), .declared) : nil
    }
}

extension MPEGFrameHeader {
    /// How many bytes a number of frames of this bit rate has on average; `nil` if no stream has
    /// that many frames.
    func byteCount(of frames: Int64) -> Int64? {
        guard frames >= 0, frames < 1 << 40 else { return nil }
        return (frames * Int64(self.sampleCount))
            .scaled(by: Int64(self.kilobitsPerSecond * 1000), over: 8 * Int64(self.sampleRate))
    }
}
