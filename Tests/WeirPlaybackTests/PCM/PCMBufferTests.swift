// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirPlayback

@Suite struct PCMBufferTests {
    static let stereo = PCMFormat(sampleRate: 48_000, channelCount: 2)

    private func buffer(_ frameCount: Int) -> PCMBuffer {
        PCMBuffer(format: Self.stereo, samples: (0..<frameCount * 2).map { Float($0) })
    }

    @Test("every trim of a short buffer leaves the samples between the two ends")
    func everyTrim() {
        for leading in 0...7 {
            for trailing in 0...7 {
                var buffer = self.buffer(5)
                buffer.trim(
                    leading: SampleCount(Int64(leading)),
                    trailing: SampleCount(Int64(trailing)),
                    at: 48_000
                )
                let kept = leading + trailing >= 5 ? [] : Array(leading * 2..<10 - trailing * 2)
                #expect(buffer.samples == kept.map { Float($0) })
            }
        }
    }

    @Test("trims at the stream's rate are doubled if the decoder has found twice the rate")
    func scaledTrim() {
        var buffer = self.buffer(10)
        buffer.trim(leading: 2, trailing: 1, at: 24_000)
        #expect(buffer.samples == (8..<16).map { Float($0) })
    }

    @Test("impossible numbers trim nothing, or everything")
    func hostileTrims() {
        var buffer = self.buffer(3)
        buffer.trim(leading: -5, trailing: SampleCount(.min), at: 48_000)
        #expect(buffer.frameCount == 3)
        buffer.trim(leading: 1, trailing: 0, at: 0)
        #expect(buffer.frameCount == 3)
        buffer.trim(leading: SampleCount(.max), trailing: 0, at: 1)
        #expect(buffer.frameCount == 0)
        var other = self.buffer(3)
        other.trim(leading: SampleCount(.max), trailing: SampleCount(.max), at: 48_000)
        #expect(other.frameCount == 0)
    }

    @Test("a duration is exact, and a day of buffers adds up")
    func durations() {
        let format = PCMFormat(sampleRate: 44_100, channelCount: 1)
        #expect(format.duration(ofFrames: 44_100) == .seconds(1))
        #expect(format.duration(ofFrames: 0) == .zero)
        let buffer = PCMBuffer.silence(format, frameCount: 1152)
        var sum = Duration.zero
        for _ in 0..<100_000 { sum += buffer.duration }
        let exact = format.duration(ofFrames: 115_200_000)
        #expect(exact - sum >= .zero && exact - sum < .nanoseconds(1))
    }

    @Test(
        "the level of each channel is its peak and its root mean square, at any length",
        arguments: [1, 2, 3, 6]
    )
    func levels(_ channelCount: Int) {
        let format = PCMFormat(sampleRate: 8000, channelCount: channelCount)
        for frameCount in 1...40 {
            let samples = (0..<frameCount * channelCount).map { index in
                let sign: Float = index / channelCount % 3 == 0 ? -1 : 1
                return sign * Float(index % 17 + index % channelCount) / 20
            }
            let level = AudioLevel(of: PCMBuffer(format: format, samples: samples))
            for channel in 0..<channelCount {
                let own = stride(from: channel, to: samples.count, by: channelCount).map {
                    samples[$0]
                }
                let power = own.reduce(0) { $0 + Double($1 * $1) } / Double(own.count)
                #expect(level.peaks[channel] == own.map(\.magnitude).max())
                #expect(abs(Double(level.powers[channel]) - power.squareRoot()) < 1e-5)
            }
        }
    }

    @Test("an empty buffer is silent")
    func levelOfNothing() {
        let level = AudioLevel(of: PCMBuffer(format: Self.stereo, samples: []))
        #expect(level == AudioLevel(peaks: [0, 0], powers: [0, 0]))
    }

    @Test("a gain of 1 changes no bit, not even of NaN")
    func unityGain() {
        var ramp = GainRamp()
        let samples: [Float] = [.nan, -0.0, .leastNonzeroMagnitude, .infinity]
        var buffer = PCMBuffer(format: Self.stereo, samples: samples)
        ramp.apply(1, to: &buffer)
        #expect(buffer.samples.map(\.bitPattern) == samples.map(\.bitPattern))
    }

    @Test("a new gain is reached in equal steps by the last frame, and then stays")
    func gainRamp() {
        var ramp = GainRamp(gain: 1)
        var buffer = PCMBuffer(
            format: Self.stereo,
            samples: [Float](repeating: 1, count: 8)
        )
        ramp.apply(0, to: &buffer)
        #expect(buffer.samples == [0.75, 0.75, 0.5, 0.5, 0.25, 0.25, 0, 0])
        var next = PCMBuffer(format: Self.stereo, samples: [1, 1])
        ramp.apply(0, to: &next)
        #expect(next.samples == [0, 0])
        var half = GainRamp(gain: 0.5)
        var last = PCMBuffer(format: Self.stereo, samples: [1, 1])
        half.apply(0.5, to: &last)
        #expect(last.samples == [0.5, 0.5])
        #expect(half.gain == 0.5)
    }
}
