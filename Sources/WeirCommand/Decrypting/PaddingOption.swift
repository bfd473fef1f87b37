// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirCipher

/// `--padding pkcs7|none`.
enum PaddingOption: String, CaseIterable, Hashable, Sendable, ExpressibleByArgument {
    case pkcs7
    case none

    var padding: AESFormat.Padding {
        switch self {
        case .pkcs7: .pkcs7
        case .none: .none
        }
    }
}
