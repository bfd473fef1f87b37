// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirProxy

/// Counts what players asked for and got.
final class SentBytes: Sendable {
    /// The counts at one moment.
    struct Snapshot {
        var requests = 0
        var bytes: Int64 = 0
    }

    private let counts = Mutex(Snapshot())

    var snapshot: Snapshot { self.counts.withLock { $0 } }

    func count(_ record: ProxyRequestRecord) {
        self.counts.withLock { counts in
            counts.requests += 1
            // The text of an error is Weir's own, not the resource's.
            guard let status = record.status, (200..<300).contains(status) else { return }
            counts.bytes += record.bytesSent
        }
    }
}
