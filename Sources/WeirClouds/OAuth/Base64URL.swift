// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The base64url encoding of RFC 4648 §5, without padding, as RFC 7636 wants it.
enum Base64URL {
    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8
    )

    static func encoded(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var held: UInt32 = 0
        for byte in bytes {
            bits = bits << 8 | UInt32(byte)
            held += 8
            while held >= 6 {
                held -= 6
                text.append(self.alphabet[Int(bits >> held) & 63])
            }
            bits &= (1 << held) - 1
        }
        if held > 0 { text.append(self.alphabet[Int(bits << (6 - held)) & 63]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Random bytes from the system, which nobody can guess, as text.
    static func random(
        byteCount: Int,
        using generator: inout some RandomNumberGenerator
    ) -> String {
        let bytes = (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return Self.encoded(bytes)
    }
}
