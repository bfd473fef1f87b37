// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirPlayback

@Suite struct GainCurveTests {
    @Test("full volume leaves samples unchanged, before a change and behind it")
    func fullVolume() {
        var curve = GainCurve()
        let samples: [Float] = [0.1, -0.2, .nan, 1.5]
        var scaled = samples
        curve.apply(to: &scaled, channelCount: 2, at: 0)
        #expect(scaled.map(\.bitPattern) == samples.map(\.bitPattern))
        curve.change(to: 0.5, at: 100, over: 10)
        curve.change(to: 1, at: 200, over: 10)
        for frame in [98, 210] as [Int64] {
            scaled = samples
            curve.apply(to: &scaled, channelCount: 2, at: frame)
            #expect(scaled.map(\.bitPattern) == samples.map(\.bitPattern))
        }
    }

    @Test(
        "a change is a straight line, the same for all channels, whatever the sizes of the buffers",
        arguments: 1...7
    )
    func line(_ piece: Int) {
        var curve = GainCurve()
        curve.change(to: 0, at: 2, over: 4)
        var heard: [Float] = []
        for first in stride(from: 0, to: 8, by: piece) {
            var samples = [Float](repeating: 1, count: min(piece, 8 - first) * 2)
            curve.apply(to: &samples, channelCount: 2, at: Int64(first))
            heard += samples
        }
        let line: [Float] = [1, 1, 1, 0.75, 0.5, 0.25, 0, 0]
        #expect(heard == line.flatMap { [$0, $0] })
    }

    @Test("a change within a change begins at the gain of that moment")
    func changeWithinChange() {
        var curve = GainCurve(gain: 1)
        curve.change(to: 0, at: 0, over: 10)
        curve.change(to: 1, at: 5, over: 5)
        #expect([0, 4, 5, 6, 10, 99].map { curve.value(at: $0) } == [1, 0.6, 0.5, 0.6, 1, 1])
    }

    @Test("after many changes the latest ones count")
    func manyChanges() {
        var curve = GainCurve()
        for index in 0..<2000 {
            curve.change(to: index % 2 == 0 ? 0 : 1, at: Int64(index * 10), over: 5)
        }
        #expect(curve.value(at: 19_995) == 1)
        #expect(curve.value(at: 19_990) == 0)
        #expect(curve.value(at: 19_985) == 0)
        #expect(curve.value(at: 19_980) == 1)
    }
}
