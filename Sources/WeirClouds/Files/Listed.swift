// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The names of one listing, between its pages.
final class Listed: Sendable {
    private let names = Mutex<[String]>([])

    var list: [String] {
        get { self.names.withLock { $0 } }
        set { self.names.withLock { $0 = newValue } }
    }
}
