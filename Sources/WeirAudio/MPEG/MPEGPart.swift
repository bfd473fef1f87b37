// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A part of a stream that was put together from files, as its own tag describes it.
///
/// Advertisements in front of a podcast, or in it, make such streams. What a tag says holds for the bytes that it
/// counts, and for no others.
struct MPEGPart: Sendable {
    /// The bytes and the sound that a tag describes.
    struct Extent: Hashable, Sendable {
        /// Where its last frame ends.
        var end: Int64
        /// How many samples its frames hold.
        var samples: Int64
        /// Samples to drop at the start.
        var leading: Int64
        /// Samples to drop at the end.
        var trailing: Int64

        /// How many samples are heard.
        var heard: Int64 { max(0, self.samples - self.leading - self.trailing) }
    }

    /// Where the frame with its tag is; empty, at the first frame, without a tag.
    let tagRange: Range<Int64>
    /// Where its first frame with sound is.
    let first: Int64
    /// A header of its sound.
    let header: MPEGFrameHeader
    /// What its tag says.
    let tag: MPEGInfoTag?
    /// What its tag describes; `nil` if nothing tells where it ends: it is taken to last to the end of the stream.
    var extent: Extent?
    /// Whether a tag, a frame, or nothing more stands where it ends.
    var isProved = false
    /// How long a few of its bytes last.
    var sample: FrameStretch?

    /// Whether all frames have the same bit rate, so that their places follow from their times.
    var isConstant: Bool {
        guard let tag, tag.kind == .info, let extent, !self.header.isFreeFormat else {
            return false
        }
        let frames = extent.samples / Int64(self.header.sampleCount)
        guard let bytes = self.header.byteCount(of: frames) else { return false }
        let size = Int64(self.header.frameSize(freeSize: 0))
        return abs(extent.end - self.tagRange.upperBound - bytes) <= 2 * size
    }

    /// How bytes follow from time, with the time of its first frame as 0.
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

/// The parts of a stream from one on, as far as they are known.
struct MPEGOutline: Sendable {
    /// Where a search has ended.
    struct Landing: Sendable {
        /// In which of the parts.
        var index: Int
        /// Where in the stream.
        var offset: Int64
        /// When the frame there starts, counted from the first frame of the part, at the part's sample rate.
        var start: Int64
    }

    /// How many parts are told apart; more are taken for the last one.
    static let capacity = 64

    /// The parts in their order; the first has a tag.
    var parts: [MPEGPart]
    /// Whether nothing that sounds follows the last.
    var isComplete = false
    /// Where the stream ends.
    let length: Int64
    /// Where the search ended that found this.
    var landing: Landing?

    /// How long all parts are heard.
    ///
    /// - Parameter sampleRate: of the number that comes back.
    /// - Returns: `declared` where tags describe everything, else `estimated`; `nil` before the last part was looked at.
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
    /// How many bytes some frames of this bit rate have, whatever is padded; `nil` if that is more than a stream has.
    func byteCount(of frames: Int64) -> Int64? {
        guard frames >= 0, frames < 1 << 40 else { return nil }
        return (frames * Int64(self.sampleCount))
            .scaled(by: Int64(self.kilobitsPerSecond * 1000), over: 8 * Int64(self.sampleRate))
    }
}
