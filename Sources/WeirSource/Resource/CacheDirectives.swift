// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What an origin says of keeping a resource, and of using what is kept without asking again (RFC 9111 §5.2.2).
public struct CacheDirectives: Hashable, Sendable {
    /// Whether the bytes must not be stored (`no-store`).
    public var forbidsStoring: Bool
    /// How long after the answer the bytes may be used without asking the origin again.
    ///
    /// Zero for `no-cache`; `nil` where the origin says nothing.
    public var freshness: Duration?

    /// Says what the origin says.
    public init(forbidsStoring: Bool = false, freshness: Duration? = nil) {
        self.forbidsStoring = forbidsStoring
        self.freshness = freshness
    }
}
