// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirProxy

/// Counts what players asked for and got.
final class SentBytes: Sendable {
    private let state = Mutex((requests: 0, bytes: Int64(0)))

    /// The counts now.
    var counts: (requests: Int, bytes: Int64) { self.state.withLock { $0 } }

    func count(_ record: ProxyRequestRecord) {
        self.state.withLock { counts in
            counts.requests += 1
            // The text of an error is Weir's own, not the resource's.
            guard let status = record.status, (200..<300).contains(status) else { return }
            counts.bytes += record.bytesSent
        }
    }
}
