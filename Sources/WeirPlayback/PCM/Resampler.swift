// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Converts sound from one rate to another, buffer by buffer, as if it were one buffer.
///
/// It is a windowed sinc in polyphase form, without delay: the first output frame is at the time of
/// the first input frame. Over the whole stream, it makes `round(in · outputRate / inputRate)`
/// frames. Each sample costs as many multiplications as its filter has taps, or twice as many where
/// the filter interpolates.
package struct Resampler: Sendable {
    /// Input frames per second.
    package let inputRate: Int
    /// Output frames per second.
    package let outputRate: Int
    /// How many samples a frame has.
    package let channelCount: Int

    private let filter: ResamplerFilter
    /// The last samples of each channel that are still needed, with silence before the first of the
    /// stream.
    private var planes: [[Float]]
    /// Where the taps of the next output frame begin in the planes.
    private var position = 0
    /// How far the next output frame is behind the input frame at its middle tap, in parts of
    /// ``ResamplerFilter/up``.
    private var phase = 0
    private var inputCount: Int64 = 0
    private var outputCount: Int64 = 0

    /// A resampler at the beginning of a stream.
    ///
    /// - Parameters:
    ///   - inputRate: input frames per second, from 1.
    ///   - outputRate: output frames per second, from 1.
    ///   - channelCount: how many samples a frame has, from 1.
    package init(from inputRate: Int, to outputRate: Int, channelCount: Int) {
        precondition(inputRate > 0 && outputRate > 0 && channelCount > 0, "sound has a rate")
        self.inputRate = inputRate
        self.outputRate = outputRate
        self.channelCount = channelCount
        self.filter = ResamplerFilter(from: inputRate, to: outputRate)
        self.planes = []
        self.reset()
    }

    /// Begins a new stream.
    package mutating func reset() {
        let silence = [Float](repeating: 0, count: self.filter.tapCount / 2 - 1)
        self.planes = [[Float]](repeating: silence, count: self.channelCount)
        self.position = 0
        self.phase = 0
        self.inputCount = 0
        self.outputCount = 0
    }

    /// Adds frames.
    ///
    /// - Parameter samples: whole frames.
    /// - Returns: the frames that are complete by now; later ones need the next samples.
    package mutating func push(_ samples: [Float]) -> [Float] {
        self.inputCount += Int64(samples.count / self.channelCount)
        self.append(samples)
        return self.produced(atMost: .max)
    }

    /// Ends the stream, and begins a new one.
    ///
    /// - Returns: the frames that waited for the next samples.
    package mutating func finish() -> [Float] {
        let (whole, part) = self.inputCount.quotientAndRemainder(
            dividingBy: Int64(self.filter.down)
        )
        let up = Int64(self.filter.up)
        let down = Int64(self.filter.down)
        let total = whole &* up + (part * up * 2 + down) / (2 * down)
        let silence = [Float](
            repeating: 0,
            count: (self.filter.tapCount + 1) * self.channelCount
        )
        var result: [Float] = []
        while self.outputCount < total {
            self.append(silence)
            result += self.produced(atMost: total - self.outputCount)
        }
        self.reset()
        return result
    }

    private mutating func append(_ samples: [Float]) {
        let channelCount = self.channelCount
        let frameCount = samples.count / channelCount
        for channel in 0..<channelCount {
            let old = self.planes[channel].count
            // In place: the plane keeps its memory from one buffer to the next.
            self.planes[channel].append(contentsOf: repeatElement(0, count: frameCount))
            self.planes[channel].withUnsafeMutableBufferPointer { plane in
                samples.withUnsafeBufferPointer { samples in
                    guard let target = plane.baseAddress, let source = samples.baseAddress else {
                        return
                    }
                    for frame in 0..<frameCount {
                        target[old &+ frame] = source[frame &* channelCount &+ channel]
                    }
                }
            }
        }
    }

    /// Makes all output frames whose taps are within the planes, and drops the samples that no
    /// later frame needs.
    private mutating func produced(atMost limit: Int64) -> [Float] {
        let available = (self.planes.first?.count ?? 0) - self.filter.tapCount
        guard self.position <= available, limit > 0 else { return [] }
        let (up, down) = (self.filter.up, self.filter.down)
        // Frame k needs position + (phase + k · down) / up <= available.
        let room = (available - self.position + 1) * up - 1 - self.phase
        let frameCount = Int(min(Int64(room / down + 1), limit))
        let channelCount = self.channelCount
        let count = frameCount * channelCount
        let result = [Float](unsafeUninitializedCapacity: count) { target, initialized in
            initialized = count
            guard let target = target.baseAddress else { return }
            for channel in 0..<channelCount {
                self.planes[channel].withUnsafeBufferPointer { plane in
                    guard let plane = plane.baseAddress else { return }
                    self.filter.run(
                        plane + self.position,
                        phase: self.phase,
                        into: target + channel,
                        stride: channelCount,
                        count: frameCount
                    )
                }
            }
        }
        let end = self.phase + frameCount * down
        self.position += end / up
        self.phase = end % up
        self.outputCount += Int64(frameCount)
        let dropped = min(self.position, self.planes.first?.count ?? 0)
        for channel in 0..<channelCount { self.planes[channel].removeFirst(dropped) }
        self.position -= dropped
        return result
    }
}
