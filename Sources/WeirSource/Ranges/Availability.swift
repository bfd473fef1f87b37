// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Which bytes of a resource are held close by, at one moment.
public struct Availability: Hashable, Sendable {
    /// The bytes that can be read without waiting for the origin.
    public var held: RangeSet<Int64>
    /// The length of the resource in bytes, once it is known.
    public var length: Int64?

    /// Describes a moment.
    public init(held: RangeSet<Int64>, length: Int64?) {
        self.held = held
        self.length = length
    }

    /// Whether nothing is missing: the length is known and every byte is held.
    public var isComplete: Bool {
        guard let length, length >= 0 else { return false }
        return self.held.firstMissing(in: 0..<length) == nil
    }
}
