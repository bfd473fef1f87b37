// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How much a cache may hold, and for how long.
///
/// Whatever goes, what was used longest ago goes first, and nobody's who is in use or pinned.
public struct CacheLimits: Hashable, Sendable {
    /// How many bytes to hold, those being written included; `nil` for any number.
    public var byteCount: Int64?
    /// How many resources to hold; `nil` for any number.
    public var resourceCount: Int?
    /// How long to hold what nobody uses, since its last use; `nil` for ever.
    public var age: Duration?
    /// How many bytes to leave free on the disk that the cache is on; `nil` for none.
    public var reserve: Int64?

    /// Limits; without any, everything is held.
    public init(
        byteCount: Int64? = nil,
        resourceCount: Int? = nil,
        age: Duration? = nil,
        reserve: Int64? = nil
    ) {
        self.byteCount = byteCount
        self.resourceCount = resourceCount
        self.age = age
        self.reserve = reserve
    }
}
