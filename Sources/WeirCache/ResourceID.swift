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
        var text = String(text)
        let words = text.withUTF8 { digits -> (UInt64, UInt64)? in
            guard digits.count == 32 else { return nil }
            var words: (UInt64, UInt64) = (0, 0)
            for (position, byte) in digits.enumerated() {
                let digit: UInt8
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
                case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
                default: return nil
                }
                if position == 16 { words = (words.1, 0) }
                words.1 = words.1 << 4 | UInt64(digit)
            }
            return words
        }
        guard let words else { return nil }
        (self.high, self.low) = words
    }

    /// 32 hexadecimal digits in lower case.
    package var description: String {
        String(hexadecimalDigitsOf: self.high, self.low)
    }

    /// The first two digits, which name the folder of the resource's files.
    var folder: String { String(self.description.prefix(2)) }

    /// The path of that folder in a cache directory.
    func folder(in directory: String) -> String { "\(directory)/\(self.folder)" }
}
