// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import WeirSource

/// A resource's identifier in 16 bytes, since memory may hold 100,000 of them.
package struct ResourceID: Hashable, Sendable, CustomStringConvertible {
    let high: UInt64
    let low: UInt64

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Reads 32 hexadecimal digits in lower case, as ``description`` writes them.
    package init?(_ text: some StringProtocol) {
        var words: (UInt64, UInt64) = (0, 0)
        var count = 0
        for byte in text.utf8 {
            let digit: UInt64
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = UInt64(byte - UInt8(ascii: "0"))
            case UInt8(ascii: "a")...UInt8(ascii: "f"):
                digit = UInt64(byte - UInt8(ascii: "a")) + 10
            default: return nil
            }
            if count < 16 { words.0 = words.0 << 4 | digit } else { words.1 = words.1 << 4 | digit }
            count += 1
            guard count <= 32 else { return nil }
        }
        guard count == 32 else { return nil }
        self.high = words.0
        self.low = words.1
    }

    /// 32 hexadecimal digits in lower case.
    package var description: String {
        String(hexadecimalDigitsOf: self.high, self.low)
    }

    /// The first two digits, which name the folder of the resource's files.
    var folder: String { String(self.description.prefix(2)) }
}
