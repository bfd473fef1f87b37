// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a reader asks of a source: a range, and optionally of which version of the resource.
public struct ReadDemand: Hashable, Sendable {
    /// The bytes that are wanted.
    public var range: RequestedRange
    /// The version that the bytes must be of; `nil` takes what the resource is now.
    public var version: Version?
    /// Whether an origin that answers with the whole resource, since it has no ranges, may hand over all of it.
    ///
    /// The reading then starts at the first byte and ends with the resource. A consumer that keeps what it reads spares
    /// itself further requests so; `false` unless told otherwise, and then the range is what is yielded.
    public var takesWhole = false

    /// Asks for a range.
    public init(_ range: RequestedRange, version: Version? = nil) {
        self.range = range
        self.version = version
    }

    /// What is known of a version of a resource: a reading that goes on must be of the same one.
    ///
    /// A source that finds another validator or another length throws
    /// ``SourceError/Code/changed`` and yields no byte.
    public struct Version: Hashable, Sendable {
        /// The validator of the bytes already held, if the resource has one.
        public var validator: Validator?
        /// The length already known, in bytes.
        public var length: Int64?

        /// A version with a validator, a length, or both.
        public init(validator: Validator?, length: Int64?) {
            self.validator = validator
            self.length = length
        }

        /// Whether a resource with this description can be of this version.
        ///
        /// A validator of the version must be the same; a length too, where both are known.
        public func agrees(with description: ResourceDescription) -> Bool {
            (self.validator == nil || self.validator == description.validator)
                && (self.length == nil || description.length == nil
                    || self.length == description.length)
        }
    }
}
