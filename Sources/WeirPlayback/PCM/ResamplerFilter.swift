// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(Darwin)
import Darwin
#elseif canImport(Musl)
import Musl
#else
import Glibc
#endif

/// The taps of a ``Resampler``: a sinc under a Kaiser window.
///
/// It is sampled for each distance between an output frame and the input frames around it. There
/// are 96 taps when the rate rises, and proportionally more when it falls. Frequencies above half
/// of the lower rate are attenuated by 100 dB; the passband ends at 86 % of that limit. Rates with
/// few common factors would need a row of taps for each of thousands of distances. For these rates,
/// the filter has 2048 rows, and interpolates between two neighbouring ones. There are fewer rows,
/// down to 128, when the rate falls.
struct ResamplerFilter: Sendable {
    /// The factor by which the rate is multiplied.
    let up: Int
    /// The divisor of the rate.
    let down: Int
    /// How many taps a row has, a multiple of 8.
    let tapCount: Int
    /// The number of rows; there is one more when they are interpolated.
    private let rowCount: Int
    private let isMixed: Bool
    private let taps: [Float]

    /// The middle of the filter's slope, as a part of half the lower rate; the slope ends at half
    /// the lower rate.
    private static let rolloff = 0.932
    /// The shape of the window for 100 dB.
    private static let beta = 10.06
    /// How many zeros of the sinc are on either side.
    private static let zeroCount = 48.0
    /// The largest factor by which the filter is lengthened for a falling rate; a rate that falls
    /// further aliases.
    private static let longest = 64.0

    init(from inputRate: Int, to outputRate: Int) {
        var (left, right) = (inputRate, outputRate)
        while right != 0 { (left, right) = (right, left % right) }
        self.up = outputRate / left
        self.down = inputRate / left
        let fall = min(max(1, Double(inputRate) / Double(outputRate)), Self.longest)
        self.tapCount = (2 * Int((Self.zeroCount * fall).rounded(.up)) + 7) / 8 * 8
        let most = max(128, Int(2048 / fall))
        self.isMixed = self.up > most
        self.rowCount = self.isMixed ? most : self.up
        var taps: [Float] = []
        let rows = self.rowCount + (self.isMixed ? 1 : 0)
        taps.reserveCapacity(rows * self.tapCount)
        for row in 0..<rows {
            let distance = Double(row) / Double(self.rowCount)
            taps += Self.row(distance, count: self.tapCount, cutoff: Self.rolloff / fall)
        }
        self.taps = taps
    }

    /// Makes samples of one channel.
    ///
    /// - Parameters:
    ///   - source: where the taps of the first sample begin, with as many samples as the last one
    ///     needs.
    ///   - phase: how far the first sample is from the middle tap.
    ///   - target: where the first sample goes.
    ///   - stride: the distance to the next sample.
    ///   - count: the number of samples.
    func run(
        _ source: UnsafePointer<Float>,
        phase: Int,
        into target: UnsafeMutablePointer<Float>,
        stride: Int,
        count: Int
    ) {
        let (step, part) = self.down.quotientAndRemainder(dividingBy: self.up)
        self.taps.withUnsafeBufferPointer { taps in
            guard let taps = taps.baseAddress else { return }
            var source = source
            var phase = phase
            let scale = Double(self.rowCount) / Double(self.up)
            for index in 0..<count {
                if self.isMixed {
                    let place = Double(phase) * scale
                    let row = min(Int(place), self.rowCount - 1)
                    let first = taps + row &* self.tapCount
                    let near = self.product(source, first)
                    let far = self.product(source, first + self.tapCount)
                    target[index &* stride] = near + Float(place - Double(row)) * (far - near)
                } else {
                    target[index &* stride] = self.product(source, taps + phase &* self.tapCount)
                }
                source += step
                phase &+= part
                if phase >= self.up {
                    phase &-= self.up
                    source += 1
                }
            }
        }
    }

    @inline(__always)
    private func product(_ samples: UnsafePointer<Float>, _ taps: UnsafePointer<Float>) -> Float {
        let (left, right) = (UnsafeRawPointer(samples), UnsafeRawPointer(taps))
        var sums = SIMD8<Float>.zero
        for offset in stride(from: 0, to: self.tapCount &* 4, by: 32) {
            sums +=
                left.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
                * right.loadUnaligned(fromByteOffset: offset, as: SIMD8<Float>.self)
        }
        return sums.sum()
    }

    /// The taps for one distance; their sum is 1, so that silence and constant values do not
    /// change.
    private static func row(_ distance: Double, count: Int, cutoff: Double) -> [Float] {
        let half = Double(count / 2)
        let values = (0..<count).map { index -> Double in
            let place = Double(index) - half + 1 - distance
            let angle = place * cutoff * .pi
            let sinc = angle == 0 ? 1 : sin(angle) / angle
            let edge = place / half
            return sinc * Self.bessel(Self.beta * max(0, 1 - edge * edge).squareRoot())
        }
        let sum = values.reduce(0, +)
        return values.map { Float($0 / sum) }
    }

    /// The modified Bessel function of order 0, as its power series.
    private static func bessel(_ value: Double) -> Double {
        var (sum, term, index) = (1.0, 1.0, 1.0)
        while term > sum * 1e-12 {
            term *= (value / (2 * index)) * (value / (2 * index))
            sum += term
            index += 1
        }
        return sum
    }
}
