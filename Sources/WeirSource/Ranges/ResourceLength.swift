// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Which lengths and ranges a resource can have: the rule that every number from outside passes where it enters.
///
/// Outside are answers of origins, journals, frames of other processes, file systems and listings. A number that the
/// rule refuses is an error of its sender, or is taken for unknown; it is never cut to fit. What has passed can be
/// added to the size of anything in memory without a check, since the largest resource has half of what an `Int64`
/// holds. A file system that holds less says so when it is written to.
package enum ResourceLength {
    /// The largest length of a resource: 2^62 bytes.
    package static let maximum: Int64 = 1 << 62

    /// A claimed length.
    ///
    /// - Parameter claim: how many bytes there shall be.
    /// - Returns: the claim; `nil` for a negative number and for more than ``maximum``.
    package static func checked(_ claim: Int64) -> Int64? {
        claim >= 0 && claim <= self.maximum ? claim : nil
    }

    /// A claimed range, half-open.
    ///
    /// - Parameters:
    ///   - lower: the first byte.
    ///   - upper: the end; the range is empty where both are the same.
    /// - Returns: `nil` for bounds below 0 or above ``maximum``, and for a range that is turned round.
    package static func checked(from lower: Int64, to upper: Int64) -> Range<Int64>? {
        guard lower >= 0, lower <= upper, upper <= self.maximum else { return nil }
        return lower..<upper
    }
}

// Arithmetic on numbers from outside that no rule bounds: times, rates, sums of many resources, limits that a user
// set. The nearest number that there is stands for a result that does not exist; nothing traps.
