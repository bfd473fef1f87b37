// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `--for aes-ctr|aes-cbc|age`: what `weir seal` writes.
enum SealScheme: String, CaseIterable, Hashable, Sendable, ExpressibleByArgument {
    case aesCTR = "aes-ctr"
    case aesCBC = "aes-cbc"
    case age

    /// The same as a player names it.
    var cipher: CipherScheme {
        switch self {
        case .aesCTR: .aesCTR
        case .aesCBC: .aesCBC
        case .age: .age
        }
    }

    /// What is put behind the name of a sealed file.
    var fileExtension: String {
        self == .age ? "age" : "aes"
    }
}
