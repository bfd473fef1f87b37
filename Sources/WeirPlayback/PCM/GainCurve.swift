// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The gain of sound by frame number, in linear segments.
///
/// A frame that is written a second time has the same gain, unless the gain was changed meanwhile.
package struct GainCurve: Sendable {
    /// The ends of the segments, in order; before the first end and after the last one the gain is constant.
    private var ends: [(frame: Int64, gain: Float)]

    /// A constant gain.
    package init(gain: Float = 1) {
        self.ends = [(frame: .min, gain: gain)]
    }

    /// The gain of a frame.
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

    /// Changes to another gain; earlier changes beyond the frame are dropped.
    ///
    /// - Parameters:
    ///   - gain: the new gain.
    ///   - frame: the last frame with the old gain.
    ///   - frameCount: how many frames the change takes, more than 0.
    package mutating func change(to gain: Float, at frame: Int64, over frameCount: Int64) {
        let start = self.value(at: frame)
        self.ends.removeAll { $0.frame >= frame }
        // The removed ends are older than the buffer of any device.
        if self.ends.count > 256 { self.ends.removeFirst(self.ends.count - 256) }
        self.ends.append((frame: frame, gain: start))
        self.ends.append((frame: frame + max(1, frameCount), gain: gain))
    }

    /// Multiplies sound by its gain; a gain of 1 leaves the samples unchanged.
    ///
    /// - Parameters:
    ///   - samples: whole frames.
    ///   - channelCount: more than 0.
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
