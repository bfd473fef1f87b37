// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCipher

/// Base64 (RFC 4648 §4 and §5) of secrets, which Foundation would leave in memory.
enum Base64Key {
    /// The decoded bytes.
    ///
    /// The padding may be left out or be right; the alphabets of §4 and §5 are not mixed; bits behind the last byte
    /// are zero. `nil` for anything else, and for nothing.
    static func bytes(_ text: Slice<UnsafeRawBufferPointer>) -> SecretBytes? {
        let digits = text.prefix { $0 != UInt8(ascii: "=") }
        let padding = text[digits.endIndex...]
        let unused = digits.count % 4
        guard !digits.isEmpty, unused != 1, padding.allSatisfy({ $0 == UInt8(ascii: "=") }),
            padding.isEmpty || unused > 0 && unused + padding.count == 4,
            digits.allSatisfy({ self.value($0) != nil }), !self.isMixed(digits)
        else { return nil }
        if let last = digits.last.flatMap(self.value) {
            let spare: UInt8 = unused == 2 ? 0b1111 : unused == 3 ? 0b11 : 0
            guard last & spare == 0 else { return nil }
        }
        return SecretBytes(count: digits.count * 6 / 8) { room in
            var bits: UInt32 = 0
            var count = 0
            var index = 0
            for digit in digits {
                bits = bits << 6 | UInt32(self.value(digit) ?? 0)
                count += 6
                guard count >= 8 else { continue }
                count -= 8
                room[index] = UInt8(truncatingIfNeeded: bits >> UInt32(count))
                index += 1
            }
        }
    }

    private static func isMixed(_ digits: Slice<UnsafeRawBufferPointer>) -> Bool {
        let isStandard = digits.contains { $0 == UInt8(ascii: "+") || $0 == UInt8(ascii: "/") }
        return isStandard
            && digits.contains { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") }
    }

    private static func value(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): byte - UInt8(ascii: "A")
        case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - UInt8(ascii: "a") + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0") + 52
        case UInt8(ascii: "+"), UInt8(ascii: "-"): 62
        case UInt8(ascii: "/"), UInt8(ascii: "_"): 63
        default: nil
        }
    }
}
