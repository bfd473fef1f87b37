// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a reader asks of a source: a range, and optionally of which generation of the resource.
public struct ReadDemand: Hashable, Sendable {
    /// The bytes that are wanted.
    public var range: RequestedRange
    /// The generation that the bytes must belong to; `nil` takes what the resource is now.
    public var pin: Pin?
    /// Whether an origin that answers with the whole resource, since it has no ranges, may hand over all of it.
    ///
    /// The reading then starts at the first byte and ends with the resource. A consumer that keeps what it reads spares
    /// itself further requests so; `false` unless told otherwise, and then the range is what is yielded.
    public var takesWhole = false

    /// Asks for a range.
    public init(_ range: RequestedRange, pinnedTo pin: Pin? = nil) {
        self.range = range
        self.pin = pin
    }

    /// What is known of the generation that a continuation must belong to.
    ///
    /// A source that finds another validator or another length throws
    /// ``SourceError/Code/changed`` and yields no byte.
    public struct Pin: Hashable, Sendable {
        /// The validator of the bytes already held, if the resource has one.
        public var validator: Validator?
        /// The length already known, in bytes.
        public var length: Int64?

        /// Pins to a validator, a length, or both.
        public init(validator: Validator?, length: Int64?) {
            self.validator = validator
            self.length = length
        }

        /// Whether a resource that is described so can be the one that is pinned.
        ///
        /// A validator that is pinned must be the same; a length too, unless it is not known.
        public func agrees(with description: ResourceDescription) -> Bool {
            (self.validator == nil || self.validator == description.validator)
                && (self.length == nil || description.length == nil
                    || self.length == description.length)
        }
    }
}

/// A range as it is asked for, before the length of the resource is known.
public enum RequestedRange: Hashable, Sendable {
    /// From an offset (0 or more) to the end of the resource.
    case from(Int64)
    /// A half-open range; what lies past the end of the resource is cut off.
    case span(Range<Int64>)
    /// The last bytes, this many (1 or more); the whole resource if it has fewer.
    case suffix(Int64)

    /// The whole resource.
    public static let whole = RequestedRange.from(0)

    /// The range within a resource of the given length.
    ///
    /// - Parameter length: bytes in the resource, 0 or more.
    /// - Returns: a range within `0..<length`, empty when the start is exactly at the end, or `nil`
    ///   when the start lies past the end or before the first byte.
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

    /// The first byte, where it is known without the length.
    public var knownLowerBound: Int64? {
        switch self {
        case .from(let lower): lower
        case .span(let range): range.lowerBound
        case .suffix: nil
        }
    }

    /// The end, where one was asked for.
    public var knownUpperBound: Int64? {
        if case .span(let range) = self { range.upperBound } else { nil }
    }

    /// Whether no byte is asked for, whatever the length is.
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
