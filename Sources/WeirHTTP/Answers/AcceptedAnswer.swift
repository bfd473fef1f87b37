// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

/// What an answer that passed every check says: the resource, the range, and where the body lies in it.
struct AcceptedAnswer: Hashable {
    var description: ResourceDescription
    /// Where the first byte of the body belongs; 0 if the origin ignored the range.
    var bodyLowerBound: Int64
    /// Where the body ends, if that is known; it may end before the wanted range does.
    var bodyUpperBound: Int64?
    /// The first byte that was wanted.
    var lowerBound: Int64
    /// The end of what was wanted, cut at the end of the resource; `nil` while that is unknown.
    var upperBound: Int64?
    /// Whether all of the whole is handed over although less was wanted.
    var coversWhole = false
}
