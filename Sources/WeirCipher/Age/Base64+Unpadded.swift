// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// Base64 in the form of age: the standard alphabet (RFC 4648 §4) without padding. It is canonical, so that every
// sequence of bytes has exactly one encoding.

extension [UInt8] {
    private static let base64Alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8
    )

    /// Encodes bytes in base64 without padding and line breaks.
    init(base64Of bytes: some Collection<UInt8>) {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 8 + 5) / 6)
        var pending: UInt32 = 0
        var pendingBits = 0
        for byte in bytes {
            pending = (pending << 8 | UInt32(byte)) & 0xFFFF
            pendingBits += 8
            while pendingBits >= 6 {
                pendingBits -= 6
                text.append(Self.base64Alphabet[Int(pending >> UInt32(pendingBits) & 0x3F)])
            }
        }
        if pendingBits > 0 {
            text.append(Self.base64Alphabet[Int(pending << UInt32(6 - pendingBits) & 0x3F)])
        }
        self = text
    }

    /// Decodes a text in base64.
    ///
    /// `nil` for a character outside of the alphabet, for padding, for a last group of one character, and if an
    /// unused bit is set (RFC 4648 §3.5).
    ///
    /// - Parameter text: the encoded text, without line breaks.
    init?(decodingBase64 text: some Collection<UInt8>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 6 / 8)
        var pending: UInt32 = 0
        var pendingBits = 0
        for character in text {
            guard let value = Self.base64Value(of: character) else { return nil }
            pending = (pending << 6 | value) & 0x3FFF
            pendingBits += 6
            if pendingBits >= 8 {
                pendingBits -= 8
                bytes.append(UInt8(truncatingIfNeeded: pending >> UInt32(pendingBits)))
            }
        }
        // Six unused bits are a superfluous character; fewer unused bits must be zero.
        guard pendingBits < 6, pending & ((1 << UInt32(pendingBits)) - 1) == 0 else { return nil }
        self = bytes
    }

    private static func base64Value(of character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt32(character - UInt8(ascii: "A"))
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a")) + 26
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt32(character - UInt8(ascii: "0")) + 52
        case UInt8(ascii: "+"): 62
        case UInt8(ascii: "/"): 63
        default: nil
        }
    }
}
