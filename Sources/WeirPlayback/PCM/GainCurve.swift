// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The volume of sound by the number of its frame: a factor that changes in straight lines.
///
/// A frame that is written a second time has the factor that it had, unless the volume was changed meanwhile.
package struct GainCurve: Sendable {
    /// Where lines end, in order: the factor is that of the first before it, and that of the last behind it.
    private var ends: [(frame: Int64, gain: Float)]

    /// A factor that stays.
    package init(gain: Float = 1) {
        self.ends = [(frame: .min, gain: gain)]
    }

    /// The factor of a frame.
    package func value(at frame: Int64) -> Float {
        guard let index = self.ends.lastIndex(where: { $0.frame <= frame }) else {
            return self.ends[0].gain
        }
        let start = self.ends[index]
        guard index + 1 < self.ends.count else { return start.gain }
        let end = self.ends[index + 1]
        if start.gain == end.gain { return end.gain }
        let share = Float(frame - start.frame) / Float(end.frame - start.frame)
        return start.gain + (end.gain - start.gain) * share
    }

    /// Goes to another factor; what was to come behind the frame is no more.
    ///
    /// - Parameters:
    ///   - gain: the factor.
    ///   - frame: the last that has the factor of before.
    ///   - frameCount: how many frames it takes, more than none.
    package mutating func change(to gain: Float, at frame: Int64, over frameCount: Int64) {
        let start = self.value(at: frame)
        self.ends.removeAll { $0.frame >= frame }
        // More than this are older than what any device holds.
        if self.ends.count > 256 { self.ends.removeFirst(self.ends.count - 256) }
        self.ends.append((frame: frame, gain: start))
        self.ends.append((frame: frame + max(1, frameCount), gain: gain))
    }

    /// Multiplies sound by its factors; where the factor is 1, the samples stay bit for bit.
    ///
    /// - Parameters:
    ///   - samples: whole frames.
    ///   - channelCount: more than none.
    ///   - first: the number of the first frame.
    package func apply(to samples: inout [Float], channelCount: Int, at first: Int64) {
        let last = first + Int64(samples.count / channelCount) - 1
        if let end = self.ends.last, end.frame <= first {
            guard end.gain != 1 else { return }
            for index in samples.indices { samples[index] *= end.gain }
            return
        }
        guard first <= last else { return }
        for frame in first...last {
            let gain = self.value(at: frame)
            let start = Int(frame - first) * channelCount
            for index in start..<start + channelCount { samples[index] *= gain }
        }
    }
}
