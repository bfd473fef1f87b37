// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Constants of the tests, written in hexadecimal digits.
enum Hex {
    static func bytes(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        precondition(digits.count.isMultiple(of: 2), "a test's constant has whole bytes")
        return stride(from: 0, to: digits.count, by: 2).map {
            UInt8(digits[$0] << 4 | digits[$0 + 1])
        }
    }
}
