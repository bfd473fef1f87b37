// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable package import WeirCache

extension Cache {
    /// Waits until the disk has taken or refused all bytes that readers can get at the time of the call, and the cache
    /// has heard of it.
    ///
    /// The cache's queue does not wait for the writes, so that a look at the list proves nothing about them.
    package func finishWrites() {
        repeat {
            self.work.finishLanes()
        } while self.state.withLock({ $0.live.kept }).contains(where: \.isBeingWritten)
    }
}

extension Generation {
    fileprivate var isBeingWritten: Bool {
        self.state.withLock { $0.failure == nil && !$0.accepted.isEmpty }
    }
}
