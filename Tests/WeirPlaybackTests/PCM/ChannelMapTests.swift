// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirPlayback

@Suite struct ChannelMapTests {
    @Test("one channel goes to both sides, unchanged")
    func monoToStereo() {
        #expect(ChannelMap(from: 1, to: 2).apply([0.25, -1]) == [0.25, 0.25, -1, -1])
        #expect(ChannelMap(from: 1, to: 4).apply([0.5]) == [0.5, 0.5, 0, 0])
    }

    @Test("as many channels stay as they are")
    func identity() {
        #expect(ChannelMap(from: 3, to: 3).apply([1, 2, 3]) == [1, 2, 3])
    }

    @Test("six channels become two by the coefficients of ITU-R BS.775, without cutting off")
    func surroundToStereo() {
        let map = ChannelMap(from: 6, to: 2)
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

    @Test("two channels become their mean")
    func stereoToMono() {
        #expect(ChannelMap(from: 2, to: 1).apply([1, 0, 0.5, 0.5]) == [0.5, 0.5])
    }

    @Test("any number of channels becomes any other, frame by frame, never louder than it was")
    func anyToAny() {
        for input in 1...12 {
            for output in 1...12 {
                let map = ChannelMap(from: input, to: output)
                let result = map.apply([Float](repeating: 1, count: input * 3))
                #expect(result.count == output * 3)
                #expect(result.allSatisfy { $0 >= 0 && $0 <= 1.000_001 })
                #expect(result.prefix(output).contains { $0 > 0 })
            }
        }
        #expect(ChannelMap(from: 2, to: 6).apply([1, 2]) == [1, 2, 0, 0, 0, 0])
    }
}
