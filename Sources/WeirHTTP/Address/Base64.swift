// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The base64 encoding of RFC 4648 §4, for credentials.
package enum Base64 {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    package static func encoded(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        var group: UInt32 = 0
        var held = 0
        for byte in bytes {
            group = group << 8 | UInt32(byte)
            held += 1
            guard held == 3 else { continue }
            for shift in [18, 12, 6, 0] {
                text.append(self.alphabet[Int(group >> UInt32(shift)) & 63])
            }
            group = 0
            held = 0
        }
        if held > 0 {
            group <<= UInt32(8 * (3 - held))
            for index in 0...held {
                text.append(self.alphabet[Int(group >> UInt32(18 - 6 * index)) & 63])
            }
            text.append(contentsOf: repeatElement(UInt8(ascii: "="), count: 3 - held))
        }
        return String(decoding: text, as: UTF8.self)
    }
}
