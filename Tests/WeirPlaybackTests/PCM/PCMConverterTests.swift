// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirPlayback

@Suite struct PCMConverterTests {
    private func format(_ sampleRate: Int, _ channelCount: Int, _ bits: Int = 16) -> PCMFormat {
        PCMFormat(sampleRate: sampleRate, channelCount: channelCount, significantBits: bits)
    }

    @Test("with equal rates and channels samples pass unchanged, whatever the bits and the rate")
    func identity() throws {
        for rate in [1, 44_100, 4_000_000_000] {
            var converter = try PCMConverter(
                from: self.format(rate, 2, 24),
                to: self.format(rate, 2)
            )
            #expect(converter.isIdentity)
            let buffer = PCMBuffer(format: self.format(rate, 2, 24), samples: [.nan, -0.0])
            let result = converter.convert(buffer)
            #expect(result.format == self.format(rate, 2))
            #expect(result.samples.map(\.bitPattern) == buffer.samples.map(\.bitPattern))
            #expect(converter.finish().samples.isEmpty)
        }
    }

    @Test("rate and channels change together, up and down, to the exact length")
    func both() throws {
        for (input, output) in [(6, 2), (1, 2), (2, 1), (2, 6), (2, 2)] {
            let target = self.format(48_000, output)
            var converter = try PCMConverter(from: self.format(44_100, input), to: target)
            var frameCount = 0
            for _ in 0..<10 {
                let buffer = PCMBuffer.silence(self.format(44_100, input), frameCount: 441)
                let result = converter.convert(buffer)
                #expect(result.format == target)
                frameCount += result.frameCount
            }
            frameCount += converter.finish().frameCount
            #expect(frameCount == 4800)
            #expect(converter.finish().frameCount == 0)
        }
    }

    @Test("impossible formats are refused where they would need a conversion")
    func refusals() {
        let good = self.format(48_000, 2)
        for bad in [self.format(1, 2), self.format(.max, 2), self.format(48_000, 4000)] {
            for (input, output) in [(bad, good), (good, bad)] {
                let error = #expect(throws: AudioError.self) {
                    try PCMConverter(from: input, to: output)
                }
                #expect(error?.code == .badFormat)
            }
        }
    }
}
