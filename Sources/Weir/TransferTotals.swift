// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// Counts what was asked of origins and received from them.
public final class TransferTotals: Sendable {
    /// The counts at one moment.
    public struct Snapshot: Sendable, Hashable {
        /// Requests that were sent.
        public var requests = 0
        /// Body bytes that came.
        public var receivedBytes: Int64 = 0
        /// Requests that had to be repeated.
        public var retries = 0
    }

    private let counts = Mutex(Snapshot())

    init() {}

    /// The counts now.
    public var snapshot: Snapshot { self.counts.withLock { $0 } }

    func count(_ event: SourceEvent) {
        switch event {
        case .requested: self.counts.withLock { $0.requests += 1 }
        case .received(let byteCount): self.counts.withLock { $0.receivedBytes += Int64(byteCount) }
        case .retrying: self.counts.withLock { $0.retries += 1 }
        case .linkRenewed, .credentialRefreshed, .answered, .redirected, .changed, .cacheDegraded,
            .cacheRecovered, .cacheDamaged, .keySuspected, .waiting, .storingForbidden,
            .refusedThoughHeld, .waitingForConnection:
            break
        }
    }
}
