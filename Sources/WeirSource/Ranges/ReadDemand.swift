// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A reader's demand to a source: a range, and optionally the version of the resource.
public struct ReadDemand: Hashable, Sendable {
    /// The bytes to read.
    public var range: RequestedRange
    /// The version that the bytes must belong to; `nil` for the current version.
    public var version: Version?
    /// Whether an origin without ranges may return the whole resource.
    ///
    /// The reading then starts at the first byte and ends with the resource. A consumer that stores the bytes
    /// avoids further requests this way. The default is `false`: the reading yields only the range.
    public var takesWhole = false

    /// Makes a demand for a range.
    public init(_ range: RequestedRange, version: Version? = nil) {
        self.range = range
        self.version = version
    }

    /// The known facts about a version of a resource; a continued reading must have the same version.
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
        /// If the version has a validator, it must be equal. If both lengths are known, they must be equal, too.
        public func agrees(with description: ResourceDescription) -> Bool {
            (self.validator == nil || self.validator == description.validator)
                && (self.length == nil || description.length == nil
                    || self.length == description.length)
        }
    }
}
