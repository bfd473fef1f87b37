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
