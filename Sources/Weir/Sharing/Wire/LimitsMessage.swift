// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache

/// The limits of a cache on the wire; the age in seconds.
struct LimitsMessage: Codable, Hashable, Sendable {
    private var byteCount: Int64?
    private var resourceCount: Int?
    private var age: Double?
    private var reserve: Int64?

    init(_ limits: CacheLimits) {
        self.byteCount = limits.byteCount
        self.resourceCount = limits.resourceCount
        self.age = limits.age.map { $0 / .seconds(1) }
        self.reserve = limits.reserve
    }

    var limits: CacheLimits {
        CacheLimits(
            byteCount: self.byteCount,
            resourceCount: self.resourceCount,
            age: self.age.map { .seconds($0.isFinite ? min(max(0, $0), 1e9) : 1e9) },
            reserve: self.reserve
        )
    }
}
