// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirPlayback

@Suite struct ChannelMapTests {
    private static func format(_ channelCount: Int) -> PCMFormat {
        PCMFormat(sampleRate: 48_000, channelCount: channelCount)
    }

    private static func format(_ layout: ChannelLayout) -> PCMFormat {
        PCMFormat(sampleRate: 48_000, channelCount: layout.count, channelLayout: layout)
    }

    private static func map(from input: Int, to output: Int) -> ChannelMap {
        ChannelMap(from: Self.format(input), to: Self.format(output))
    }

    /// The share of each input channel in each output channel.
    private static func shares(_ input: ChannelLayout, _ output: ChannelLayout) -> [[Float]] {
        let map = ChannelMap(from: Self.format(input), to: Self.format(output))
        return (0..<input.count).map { channel in
            var frame = [Float](repeating: 0, count: input.count)
            frame[channel] = 1
            return map.apply(frame)
        }
    }

    @Test("one channel goes to both sides, unchanged")
    func monoToStereo() {
        #expect(Self.map(from: 1, to: 2).apply([0.25, -1]) == [0.25, 0.25, -1, -1])
        #expect(Self.map(from: 1, to: 4).apply([0.5]) == [0.5, 0.5, 0, 0])
    }

    @Test("an equal number of channels stays unchanged")
    func identity() {
        #expect(Self.map(from: 3, to: 3).apply([1, 2, 3]) == [1, 2, 3])
        #expect(!ChannelMap.isNeeded(from: Self.format(6), to: Self.format(6)))
    }

    @Test("an equal number of channels for other loudspeakers is mapped")
    func sameCount() {
        let surround: ChannelLayout = [.frontLeft, .frontRight, .frontCentre, .backCentre]
        #expect(ChannelMap.isNeeded(from: Self.format(surround), to: Self.format(4)))
        let shares = Self.shares(surround, .standard(4))
        // The centre goes to both front channels, the back centre to both back channels.
        #expect(shares[2][0] > 0 && shares[2][0] == shares[2][1])
        #expect(shares[2][2] == 0 && shares[2][3] == 0)
        #expect(shares[3][0] == 0 && shares[3][1] == 0)
        #expect(shares[3][2] > 0 && shares[3][2] == shares[3][3])
    }

    @Test("a loudspeaker of both layouts gets its own channel alone, at whatever index")
    func places() {
        let low: ChannelLayout = [.frontLeft, .frontRight, .lowFrequency]
        #expect(
            Self.shares(low, .standard(6)) == [
                [1, 0, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0], [0, 0, 0, 1, 0, 0],
            ]
        )
        // The low frequencies go to no other channel.
        #expect(Self.shares(low, .stereo) == [[1, 0], [0, 1], [0, 0]])
    }

    @Test("side channels play at the back, and back channels at the sides")
    func sides() {
        let side: ChannelLayout = [
            .frontLeft, .frontRight, .frontCentre, .lowFrequency, .sideLeft, .sideRight,
        ]
        for (input, output) in [(side, ChannelLayout.standard(6)), (.standard(6), side)] {
            let shares = Self.shares(input, output)
            for channel in 0..<6 {
                #expect(
                    shares[channel].indices.allSatisfy {
                        shares[channel][$0] == ($0 == channel ? 1 : 0)
                    }
                )
            }
        }
    }

    @Test("six channels become two by the coefficients of ITU-R BS.775, without clipping")
    func surroundToStereo() {
        let map = Self.map(from: 6, to: 2)
        let half = Float(0.5).squareRoot()
        let scale = 1 / (1 + 2 * half)
        for channel in 0..<6 {
            var frame = [Float](repeating: 0, count: 6)
            frame[channel] = 1
            let sides: [(Float, Float)] = [
                (1, 0), (0, 1), (half, half), (0, 0), (half, 0), (0, half),
            ]
            let result = map.apply(frame)
            #expect(abs(result[0] - sides[channel].0 * scale) < 1e-6)
            #expect(abs(result[1] - sides[channel].1 * scale) < 1e-6)
        }
        let loudest = map.apply([1, 1, 1, 1, 1, 1])
        #expect(loudest.allSatisfy { $0 <= 1.000_001 })
    }

    @Test("two channels become one, their mean")
    func stereoToMono() {
        #expect(Self.map(from: 2, to: 1).apply([1, 0, 0.5, 0.5]) == [0.5, 0.5])
    }

    @Test("any number of channels becomes any other, frame by frame, and never louder")
    func anyToAny() {
        for input in 1...12 {
            for output in 1...12 {
                let map = Self.map(from: input, to: output)
                let result = map.apply([Float](repeating: 1, count: input * 3))
                #expect(result.count == output * 3)
                #expect(result.allSatisfy { $0 >= 0 && $0 <= 1.000_001 })
                #expect(result.prefix(output).contains { $0 > 0 })
            }
        }
        #expect(Self.map(from: 2, to: 6).apply([1, 2]) == [1, 2, 0, 0, 0, 0])
    }
}
