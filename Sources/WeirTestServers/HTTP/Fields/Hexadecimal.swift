// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension Sequence where Element == UInt8 {
    /// The bytes as lowercase hexadecimal digits.
    var hexadecimal: String {
        var text = ""
        for byte in self {
            if byte < 16 { text += "0" }
            text += String(byte, radix: 16)
        }
        return text
    }
}
