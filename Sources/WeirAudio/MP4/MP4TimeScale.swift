// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Turns the time units of a track into samples.
struct MP4TimeScale: Hashable, Sendable {
    /// Units a second, from 1.
    let unitsPerSecond: Int64
    /// Samples a second, from 1.
    let sampleRate: Int64

    /// Whether a unit is a sample.
    var isExact: Bool { self.unitsPerSecond == self.sampleRate }

    /// The sample nearest to a time.
    ///
    /// - Parameter units: the time, which may be negative.
    /// - Returns: samples; at the ends of what 64 bits hold it stays there.
    func samples(_ units: Int64) -> Int64 {
        guard !self.isExact else { return units }
        return Self.rescale(units, by: self.sampleRate, over: self.unitsPerSecond)
    }

    /// The unit nearest to a sample.
    ///
    /// - Parameter samples: the time, which may be negative.
    /// - Returns: units; at the ends of what 64 bits hold it stays there.
    func units(_ samples: Int64) -> Int64 {
        guard !self.isExact else { return samples }
        return Self.rescale(samples, by: self.unitsPerSecond, over: self.sampleRate)
    }

    /// A number times a fraction, to the nearest, halves upwards.
    ///
    /// - Parameters:
    ///   - value: any number.
    ///   - numerator: from 0.
    ///   - denominator: from 1.
    /// - Returns: the nearest number of 64 bits.
    static func rescale(_ value: Int64, by numerator: Int64, over denominator: Int64) -> Int64 {
        // 64 bits times 63 bits and one more fit into 128.
        let doubled = 2 * Int128(value) * Int128(numerator) + Int128(denominator)
        let divisor = 2 * Int128(denominator)
        var quotient = doubled / divisor
        if doubled % divisor < 0 { quotient -= 1 }
        return Int64(clamping: quotient)
    }
}
