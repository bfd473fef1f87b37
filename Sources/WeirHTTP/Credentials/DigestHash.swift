// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

extension DigestChallenge.Algorithm {
    /// The hash of a text, in hexadecimal digits.
    func hash(_ text: String) -> String {
        switch self {
        case .md5, .md5Session: Insecure.MD5.hash(data: Array(text.utf8)).hexadecimal
        case .sha256, .sha256Session: SHA256.hash(data: Array(text.utf8)).hexadecimal
        }
    }
}
