// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirPlayback
import WeirTestKit

@Suite struct ResamplerTests {
    struct Rates: CustomTestStringConvertible {
        var input: Int
        var output: Int
        var testDescription: String { "\(self.input) Hz to \(self.output) Hz" }
    }

    static let rates = [
        Rates(input: 44_100, output: 48_000), Rates(input: 48_000, output: 44_100),
        Rates(input: 22_050, output: 44_100), Rates(input: 96_000, output: 48_000),
        Rates(input: 8000, output: 48_000), Rates(input: 192_000, output: 44_100),
        // Rates with a small common divisor: the resampler interpolates between rows of filter
        // taps.
        Rates(input: 44_101, output: 48_000), Rates(input: 47_999, output: 11_025),
    ]

    private func sine(_ frequency: Double, _ sampleRate: Int, _ frameCount: Int) -> [Float] {
        (0..<frameCount).map {
            Float(0.5 * sin(2 * .pi * frequency * Double($0) / Double(sampleRate)))
        }
    }

    @Test(
        "a sine keeps its shape and time, and any error is more than 90 dB below it",
        arguments: rates
    )
    func sineStays(_ rates: Rates) {
        var resampler = Resampler(from: rates.input, to: rates.output, channelCount: 1)
        for part in [0.03, 0.8] {
            let frequency = part * Double(min(rates.input, rates.output)) / 2
            let source = self.sine(frequency, rates.input, rates.input / 20)
            let result = resampler.push(source) + resampler.finish()
            let expected = self.sine(frequency, rates.output, result.count)
            var (signal, noise) = (0.0, 1e-30)
            for index in result.count / 4..<result.count * 3 / 4 {
                let difference = Double(result[index] - expected[index])
                signal += Double(expected[index] * expected[index])
                noise += difference * difference
            }
            let ratio = 10 * log10(signal / noise)
            #expect(ratio > 90, "\(frequency) Hz: \(ratio) dB")
        }
    }

    @Test("frequencies above half the lower rate are suppressed by 90 dB", arguments: rates)
    func aliasesAreGone(_ rates: Rates) {
        guard rates.output < rates.input else { return }
        var resampler = Resampler(from: rates.input, to: rates.output, channelCount: 1)
        let frequency = min(0.52 * Double(rates.output), 0.499 * Double(rates.input))
        let result = resampler.push(self.sine(frequency, rates.input, rates.input / 20))
        let middle = result[result.count / 4..<result.count * 3 / 4]
        let peak = middle.map(\.magnitude).max() ?? 1
        #expect(20 * log10(Double(peak) / 0.5) < -90)
    }

    @Test("the length is exact, for every length of the input", arguments: rates)
    func lengthsAreExact(_ rates: Rates) {
        var resampler = Resampler(from: rates.input, to: rates.output, channelCount: 2)
        for frameCount in Array(0...12) + [441, 1009] {
            let silence = [Float](repeating: 0, count: frameCount * 2)
            let result = resampler.push(silence).count + resampler.finish().count
            let exact = Double(frameCount) * Double(rates.output) / Double(rates.input)
            #expect(result == 2 * Int(exact.rounded()), "\(frameCount) frames")
        }
    }

    @Test("the output does not depend on the sizes of the input's buffers", arguments: rates)
    func cutsDoNotMatter(_ rates: Rates) {
        var generator = SeededGenerator(seed: 5)
        let source = (0..<2000).map { _ in Float.random(in: -1...1, using: &generator) }
        var whole = Resampler(from: rates.input, to: rates.output, channelCount: 2)
        let expected = whole.push(source) + whole.finish()
        var cut = Resampler(from: rates.input, to: rates.output, channelCount: 2)
        var result: [Float] = []
        var rest = source[...]
        while !rest.isEmpty {
            let piece = rest.prefix(2 * Int.random(in: 0...300, using: &generator))
            result += cut.push(Array(piece))
            rest = rest.dropFirst(piece.count)
        }
        result += cut.finish()
        let isSame = result == expected
        #expect(isSame)
        // After the end, the resampler works like a new one.
        let again = cut.push(source) + cut.finish()
        let isSameAgain = again == expected
        #expect(isSameAgain)
    }

    @Test("channels are not mixed")
    func channelsStayApart() {
        var resampler = Resampler(from: 44_100, to: 48_000, channelCount: 2)
        let left = self.sine(1000, 44_100, 4410)
        let result = resampler.push(left.flatMap { [$0, 0] }) + resampler.finish()
        var alone = Resampler(from: 44_100, to: 48_000, channelCount: 1)
        let expected = alone.push(left) + alone.finish()
        let isSame = result == expected.flatMap { [$0, 0] }
        #expect(isSame)
    }

    @Test("a constant signal stays constant")
    func constantStays() {
        var resampler = Resampler(from: 44_101, to: 48_000, channelCount: 1)
        let result = resampler.push([Float](repeating: 0.75, count: 4000))
        let isConstant = result.dropFirst(100).allSatisfy { abs($0 - 0.75) < 1e-6 }
        #expect(isConstant)
    }
}
