// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Turns base64 text into bytes (RFC 4648 §4).
enum Base64 {
    /// Decodes text; white space is passed over, and the padding may be missing.
    ///
    /// - Parameter text: the bytes of the text.
    /// - Returns: `nil` if there is any other character, or a lone one at the end.
    static func decode(_ text: ByteView) -> [UInt8]? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count / 4 * 3)
        var bits: UInt32 = 0
        var held = 0
        var isPadded = false
        for index in 0..<text.count {
            let character = text[index]
            if character == UInt8(ascii: "=") {
                isPadded = true
                continue
            }
            if character <= UInt8(ascii: " ") { continue }
            guard !isPadded, let value = Self.value(character) else { return nil }
            bits = bits << 6 | UInt32(value)
            held += 1
            guard held == 4 else { continue }
            bytes.append(UInt8(truncatingIfNeeded: bits >> 16))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 8))
            bytes.append(UInt8(truncatingIfNeeded: bits))
            held = 0
        }
        switch held {
        case 0: break
        case 2: bytes.append(UInt8(truncatingIfNeeded: bits >> 4))
        case 3:
            bytes.append(UInt8(truncatingIfNeeded: bits >> 10))
            bytes.append(UInt8(truncatingIfNeeded: bits >> 2))
        default: return nil
        }
        return bytes
    }

    /// The six bits of a character of the alphabet.
    private static func value(_ character: UInt8) -> UInt8? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): character - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): character - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): character - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
