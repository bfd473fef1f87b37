// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A requested range, before the length of the resource is known.
public enum RequestedRange: Hashable, Sendable {
    /// From an offset (0 or more) to the end of the resource.
    case from(Int64)
    /// A half-open range; the part past the end of the resource is cut off.
    case span(Range<Int64>)
    /// The last bytes, this many (1 or more); the whole resource if it has fewer.
    case suffix(Int64)

    /// The whole resource.
    public static let whole = RequestedRange.from(0)

    /// How many bytes at the start of a resource show its kind: media, a list or a page.
    package static let headLength: Int64 = 512
    /// The first bytes, which a description reads.
    package static let head = RequestedRange.span(0..<Self.headLength)

    /// The range within a resource of the given length.
    ///
    /// - Parameter length: bytes in the resource, 0 or more.
    /// - Returns: a range within `0..<length`, empty when the start is exactly at the end. `nil`
    ///   when the start is past the end or before the first byte.
    public func resolved(inLength length: Int64) -> Range<Int64>? {
        switch self {
        case .from(let lower):
            return 0 <= lower && lower <= length ? lower..<length : nil
        case .span(let range):
            guard 0 <= range.lowerBound, range.lowerBound <= length else { return nil }
            return range.lowerBound..<min(range.upperBound, length)
        case .suffix(let count):
            guard count >= 0, length >= 0 else { return nil }
            return max(0, length - count)..<length
        }
    }

    /// The first byte, if it is known without the length.
    public var knownLowerBound: Int64? {
        switch self {
        case .from(let lower): lower
        case .span(let range): range.lowerBound
        case .suffix: nil
        }
    }

    /// The end, if the request has one.
    public var knownUpperBound: Int64? {
        if case .span(let range) = self { range.upperBound } else { nil }
    }

    /// Whether the range is empty for every length.
    public var isEmpty: Bool {
        switch self {
        case .from: false
        case .span(let range): range.isEmpty
        case .suffix(let count): count <= 0
        }
    }
}

extension RequestedRange: CustomStringConvertible {
    /// The range in half-open notation, for error texts and logs: `0..<100`, `100...`, `last 5`.
    public var description: String {
        switch self {
        case .from(let lower): "\(lower)..."
        case .span(let range): "\(range.lowerBound)..<\(range.upperBound)"
        case .suffix(let count): "last \(count)"
        }
    }
}
