// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// One reading of an origin: a request, and what was needed to bring its bytes to their end.
public struct MediaTransfer: Hashable, Sendable {
    /// Tells one transfer of a medium from the next.
    public var number: Int
    /// Where it starts, in bytes.
    public var lowerBound: Int64
    /// Where it ends; `nil` while nobody knows the length.
    public var upperBound: Int64?
    /// Bytes that have come so far.
    public var receivedCount: Int64 = 0

    /// Bytes that are to come in all, if that is known.
    public var totalCount: Int64? { self.upperBound.map { $0 - self.lowerBound } }
}
