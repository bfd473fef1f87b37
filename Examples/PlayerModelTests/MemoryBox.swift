// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayerModel
import Synchronization

/// A secret box that lives as long as the test.
final class MemoryBox: SecretBox {
    private let secret: Mutex<Data?>

    init(_ secret: Data? = nil) {
        self.secret = Mutex(secret)
    }

    func read() -> Data? { self.secret.withLock { $0 } }

    func write(_ secret: Data) { self.secret.withLock { $0 = secret } }
}
