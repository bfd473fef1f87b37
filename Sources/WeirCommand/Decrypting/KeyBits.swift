// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `--key-bits 128|192|256`: how long a key is that is made of a passphrase.
enum KeyBits: Int, CaseIterable, Hashable, Sendable, ExpressibleByArgument {
    case bits128 = 128
    case bits192 = 192
    case bits256 = 256

    var bytes: Int { self.rawValue / 8 }
}
