// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirCache
import WeirLoader
import WeirSource

/// A resource as the owner of the cache keeps it for all who play it, here and in other processes.
final class KeptSource: Sendable {
    /// Which resource, and whether its origin may be asked.
    struct Name: Hashable, Sendable {
        var key: ResourceKey
        var isOffline: Bool
    }

    /// The loader, in front of the cache.
    let cached: CachedSource
    /// The origins of all who play it.
    let origin: OriginPool

    private let users = Mutex(0)

    init(_ key: ResourceKey, cache: Cache, policy: LoadPolicy, observer: SourceObserver?) {
        self.origin = OriginPool()
        self.cached = CachedSource(
            origin: self.origin,
            key: key,
            cache: cache,
            policy: policy,
            observer: observer
        )
    }

    /// Counts somebody who plays it.
    func enter() {
        self.users.withLock { $0 += 1 }
    }

    /// Somebody plays it no longer.
    ///
    /// - Returns: whether that was the last.
    func leave() -> Bool {
        self.users.withLock { users in
            users -= 1
            return users == 0
        }
    }
}
