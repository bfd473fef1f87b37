// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization

@testable import WeirSwiftUI

/// A secret box that lives as long as the test.
final class MemoryBox: SecretBox {
    let place = "the box of a test"
    private let state: Mutex<(secret: [UInt8]?, writeCount: Int)>

    init(_ secret: [UInt8]? = nil) {
        self.state = Mutex((secret, 0))
    }

    /// How many times the secret was replaced.
    var writeCount: Int { self.state.withLock { $0.writeCount } }

    func read() -> [UInt8]? { self.state.withLock { $0.secret } }

    func write(_ secret: [UInt8]) {
        self.state.withLock { state in
            state.secret = secret
            state.writeCount += 1
        }
    }
}
