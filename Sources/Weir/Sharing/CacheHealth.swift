// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Whether the cache keeps what is fetched, as far as it has said.
final class CacheHealth: Sendable {
    /// When to look what is the matter; `nil` while nothing is.
    private let nextLook = Mutex<SuspendingClock.Instant?>(nil)

    /// Notes what the cache says.
    func note(_ event: SourceEvent) {
        switch event {
        case .cacheDegraded: self.nextLook.withLock { $0 = .now }
        case .cacheRecovered: self.nextLook.withLock { $0 = nil }
        default: break
        }
    }

    /// Whether something is the matter that nobody has looked at for this long.
    func wantsLook(every pause: Duration) -> Bool {
        self.nextLook.withLock { next in
            guard let due = next, due <= .now else { return false }
            next = .now + pause
            return true
        }
    }
}
