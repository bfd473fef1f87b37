// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The lengths and ranges that a resource can have; every number from outside is checked where it
/// enters.
///
/// Outside are responses of origins, journals, frames of other processes, file systems and
/// listings. A refused number is an error of its sender, or counts as unknown; it is never cut to
/// fit. A checked number can be added to the size of anything in memory without a check, since the
/// largest resource has half the range of an `Int64`. A file system with a lower limit reports an
/// error on writing.
package enum ResourceLength {
    /// The largest length of a resource: 2^62 bytes.
    package static let maximum: Int64 = 1 << 62

    /// Checks a claimed length.
    ///
    /// - Parameter claim: the claimed number of bytes.
    /// - Returns: the claim; `nil` for a negative number and for more than ``maximum``.
    package static func checked(_ claim: Int64) -> Int64? {
        claim >= 0 && claim <= self.maximum ? claim : nil
    }

    /// Checks a claimed range, half-open.
    ///
    /// - Parameters:
    ///   - lower: the first byte.
    ///   - upper: the end; the range is empty if both are equal.
    /// - Returns: `nil` for bounds below 0 or above ``maximum``, and for a lower bound above the
    ///   upper bound.
    package static func checked(from lower: Int64, to upper: Int64) -> Range<Int64>? {
        guard lower >= 0, lower <= upper, upper <= self.maximum else { return nil }
        return lower..<upper
    }
}

// Clamped arithmetic is for numbers from outside without this limit: times, rates, sums over many
// resources, limits that a user set. On overflow the result is the nearest value; nothing traps.
