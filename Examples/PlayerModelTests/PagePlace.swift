// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Counts the pages that were asked for.
final class PagePlace: Sendable {
    private let next = Mutex(0)

    /// The number of this page.
    func advance() -> Int {
        self.next.withLock { next in
            defer { next += 1 }
            return next
        }
    }
}
