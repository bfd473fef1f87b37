// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A number of samples of one channel (sample frames): a length, or a position counted from a stream's zero.
///
/// How long a sample is, the stream's ``AudioFormat/sampleRate`` says. Positions may be negative: what lies before
/// zero is decoded and not heard.
public struct SampleCount: Hashable, Comparable, Sendable, ExpressibleByIntegerLiteral,
    AdditiveArithmetic
{
    /// The number.
    public var rawValue: Int64

    /// A count of samples.
    public init(_ rawValue: Int64) { self.rawValue = rawValue }

    /// A count of samples, written as a number.
    public init(integerLiteral value: Int64) { self.rawValue = value }

    /// The number of whole samples nearest to a time; `nil` if it does not fit.
    ///
    /// - Parameters:
    ///   - seconds: the time, finite.
    ///   - sampleRate: samples a second, from 1.
    public init?(seconds: Double, sampleRate: Int) {
        let value = seconds * Double(sampleRate)
        guard value.magnitude < 0x1p62 else { return nil }
        self.rawValue = Int64(value < 0 ? value - 0.5 : value + 0.5)
    }

    /// How long that is.
    ///
    /// - Parameter sampleRate: samples a second, from 1.
    /// - Returns: seconds.
    public func seconds(sampleRate: Int) -> Double { Double(self.rawValue) / Double(sampleRate) }

    /// The order of numbers.
    public static func < (left: SampleCount, right: SampleCount) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The sum, which stays at the ends of what 64 bits hold.
    public static func + (left: SampleCount, right: SampleCount) -> SampleCount {
        let (sum, overflow) = left.rawValue.addingReportingOverflow(right.rawValue)
        return SampleCount(overflow ? (right.rawValue < 0 ? .min : .max) : sum)
    }

    /// The difference, which stays at the ends of what 64 bits hold.
    public static func - (left: SampleCount, right: SampleCount) -> SampleCount {
        let (difference, overflow) = left.rawValue.subtractingReportingOverflow(right.rawValue)
        return SampleCount(overflow ? (right.rawValue < 0 ? .max : .min) : difference)
    }
}
