// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCipher

/// What stands in a key file or variable: a key, a passphrase, or identities, as the format wants it.
///
/// What is no key is never repeated.
struct KeyText: Sendable {
    /// All of it.
    let bytes: SecretBytes
    /// Where it stood, for errors.
    let place: KeyPlace

    /// How long AES keys are, in bytes.
    private static let keySizes = [16, 24, 32]

    init(_ bytes: SecretBytes, from place: KeyPlace) {
        self.bytes = bytes
        self.place = place
    }

    /// The AES key.
    ///
    /// - Throws: `CipherError` with `invalidKey`.
    func key() throws(CipherError) -> CipherKey {
        try CipherKey(self.keyBytes())
    }

    /// The bytes of the AES key.
    ///
    /// A text of nothing but 32, 48 or 64 hexadecimal digits means what they say; any other that is the Base64 of 16,
    /// 24 or 32 bytes means these; and 16, 24 or 32 bytes that are neither are the key themselves. White space around
    /// the first two does not count.
    ///
    /// - Throws: `CipherError` with `invalidKey`.
    func keyBytes() throws(CipherError) -> SecretBytes {
        if let key = self.bytes.withUnsafeBytes({ Self.hexadecimal(Self.trimmed($0)) }) {
            return key
        }
        if let key = self.bytes.withUnsafeBytes({ Base64Key.bytes(Self.trimmed($0)) }),
            Self.keySizes.contains(key.count)
        {
            return key
        }
        guard Self.keySizes.contains(self.bytes.count) else {
            throw CipherError(
                .invalidKey,
                "\(self.place) holds no AES key; it must be 16, 24 or 32 bytes as they are, as 32, 48 or 64 hexadecimal"
                    + " digits, or in Base64."
            )
        }
        return self.bytes
    }

    /// Whether it is a key in digits or letters, or an age identity: what nobody wants to see in a message.
    var looksLikeKey: Bool {
        self.bytes.withUnsafeBytes { bytes in
            let text = Self.trimmed(bytes)
            if Self.hexadecimal(text) != nil || Self.isIdentity(text) { return true }
            return Base64Key.bytes(text).map { Self.keySizes.contains($0.count) } ?? false
        }
    }

    /// The passphrase of `openssl enc`: the first line without its line feed.
    ///
    /// Blanks and a carriage return belong to it, as they do there.
    ///
    /// - Throws: `CipherError` with `invalidKey` if the first line is empty.
    func opensslPassphrase() throws(CipherError) -> SecretBytes {
        let line = self.bytes.withUnsafeBytes { bytes in
            SecretBytes(bytes.prefix { $0 != UInt8(ascii: "\n") })
        }
        guard line.count > 0 else { throw self.noPassphrase }
        return line
    }

    /// The passphrase of age: the only line, without its end.
    ///
    /// Blanks belong to it. What is no text, or has a second line, is something else, of which one line would be a poor
    /// passphrase.
    ///
    /// - Throws: `CipherError` with `invalidKey`.
    func passphrase() throws(CipherError) -> SecretBytes {
        let (line, isText) = self.bytes.withUnsafeBytes { bytes in
            var line = bytes.prefix { $0 != UInt8(ascii: "\n") }
            let rest = bytes[line.endIndex...]
            if line.last == UInt8(ascii: "\r") { line = line.dropLast() }
            let isText =
                line.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
                && String(validating: line, as: UTF8.self) != nil
                && rest.allSatisfy { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") }
            return (SecretBytes(line), isText)
        }
        guard line.count > 0 else { throw self.noPassphrase }
        guard isText else {
            throw CipherError(
                .invalidKey,
                "\(self.place) holds neither an age identity nor a passphrase, which is one line of text."
            )
        }
        return line
    }

    private var noPassphrase: CipherError {
        CipherError(
            .invalidKey,
            "\(self.place) has no passphrase on its first line; write it there."
        )
    }

    /// The value of a hexadecimal digit.
    static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func trimmed(_ bytes: UnsafeRawBufferPointer) -> Slice<UnsafeRawBufferPointer> {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
        guard let first = bytes.firstIndex(where: { !isBlank($0) }),
            let last = bytes.lastIndex(where: { !isBlank($0) })
        else { return bytes[0..<0] }
        return bytes[first...last]
    }

    private static func hexadecimal(_ text: Slice<UnsafeRawBufferPointer>) -> SecretBytes? {
        guard text.count.isMultiple(of: 2), Self.keySizes.contains(text.count / 2),
            text.allSatisfy({ Self.digit($0) != nil })
        else { return nil }
        return SecretBytes(count: text.count / 2) { room in
            for (index, byte) in text.enumerated() {
                room[index / 2] = room[index / 2] << 4 | (Self.digit(byte) ?? 0)
            }
        }
    }
}
