// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The unit that a decoder decodes in one call, as it is stored.
public struct AudioPacket: Hashable, Sendable {
    /// The stored bytes, with the headers that the container counts as part of a packet.
    ///
    /// An MPEG, ADTS or FLAC frame with its header; an Ogg packet without its pages.
    public var payload: ByteMemory
    /// The offset of the packet's first byte in the stream.
    public var offset: Int64
    /// How many of the first bytes are a header that decoders of bare frames do not accept.
    ///
    /// In ADTS: 7, or, with a CRC, 9 to 15. In other formats: 0.
    public var headerCount: Int
    /// When the packet's first decoded sample is played, on the stream's own time line, before
    /// trimming.
    ///
    /// MPEG audio and ADTS have no times of their own: the first packet is at 0, or at the time
    /// that the caller passed to ``AudioStreamParser/jump(to:start:)``.
    public var start: SampleCount
    /// How many samples the packet decodes to, before trimming.
    public var duration: SampleCount
    /// How many decoded samples to drop at the start of the packet.
    public var trimStart: SampleCount
    /// How many decoded samples to drop at the end of the packet.
    public var trimEnd: SampleCount
    /// Whether decoding can start with this packet.
    public var isIndependent: Bool
    /// The ``AudioFormat/section`` that the packet belongs to.
    public var section: Int

    /// An untrimmed packet with which decoding can start.
    ///
    /// - Parameters:
    ///   - payload: the stored bytes.
    ///   - offset: the offset of the first byte in the stream.
    ///   - start: when the first decoded sample is played.
    ///   - duration: how many samples the packet decodes to.
    public init(payload: ByteMemory, offset: Int64, start: SampleCount, duration: SampleCount) {
        self.payload = payload
        self.offset = offset
        self.headerCount = 0
        self.start = start
        self.duration = duration
        self.trimStart = 0
        self.trimEnd = 0
        self.isIndependent = true
        self.section = 0
    }
}

/// A number of samples of one channel (sample frames): a length, or a position counted from a
/// stream's zero.
///
/// The stream's ``AudioFormat/sampleRate`` says how long a sample is. Positions may be negative:
/// samples before zero are decoded and not heard.
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

    /// The duration of that many samples.
    ///
    /// - Parameter sampleRate: samples a second, from 1.
    /// - Returns: seconds.
    public func seconds(sampleRate: Int) -> Double { Double(self.rawValue) / Double(sampleRate) }

    /// The order of numbers.
    public static func < (left: SampleCount, right: SampleCount) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The sum, limited to the range of 64 bits.
    public static func + (left: SampleCount, right: SampleCount) -> SampleCount {
        let (sum, overflow) = left.rawValue.addingReportingOverflow(right.rawValue)
        return SampleCount(overflow ? (right.rawValue < 0 ? .min : .max) : sum)
    }

    /// The difference, limited to the range of 64 bits.
    public static func - (left: SampleCount, right: SampleCount) -> SampleCount {
        let (difference, overflow) = left.rawValue.subtractingReportingOverflow(right.rawValue)
        return SampleCount(overflow ? (right.rawValue < 0 ? .max : .min) : difference)
    }
}
