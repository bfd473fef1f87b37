// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirHTTP
package import WeirSource

/// A store that a fleet of machines shares behind its caches.
package struct TierSettings: Sendable {
    /// Makes the store, which sends its requests so.
    package var store: @Sendable (ServiceClient) throws -> any ObjectStore
    /// What the machines share: only what was sealed with it is believed.
    package var secret: [UInt8]
    /// How fast it is written to; `nil`: as fast as it takes.
    package var bytesPerSecond: Int64?

    /// Names a store.
    package init(
        secret: [UInt8],
        bytesPerSecond: Int64? = nil,
        store: @escaping @Sendable (ServiceClient) throws -> any ObjectStore
    ) {
        self.store = store
        self.secret = secret
        self.bytesPerSecond = bytesPerSecond
    }
}
