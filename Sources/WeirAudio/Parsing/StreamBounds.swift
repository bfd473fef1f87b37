// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Which lengths and offsets a stream can have: the rule that those pass which come from outside of it.
///
/// What has passed can be added to the size of anything in memory, since the longest stream has half of what an `Int64`
/// holds. Numbers that stand in a stream itself are checked where they are read.
enum StreamBounds {
    /// The longest stream: 2^62 bytes, as for resources in WeirSource, which this module does not see.
    static let maximum: Int64 = 1 << 62

    /// A claimed length; `nil`, unknown, for one that no stream has.
    static func length(_ claim: Int64?) -> Int64? {
        claim.flatMap { $0 >= 0 && $0 <= self.maximum ? $0 : nil }
    }

    /// An offset; the nearest where there can be bytes.
    static func offset(_ claim: Int64) -> Int64 { min(max(claim, 0), self.maximum) }

    /// A time that a caller names; the nearest to which the samples of a stream can be added.
    static func time(_ claim: SampleCount) -> SampleCount {
        SampleCount(min(max(claim.rawValue, -self.maximum), self.maximum))
    }
}
