// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCipher

/// The text of a key file or variable: a key, a passphrase or identities, depending on the format.
///
/// No error quotes the text.
struct KeyText: Sendable {
    let bytes: SecretBytes
    /// The location of the text, for errors.
    let location: KeyLocation

    /// The lengths of AES keys, in bytes.
    private static let keySizes = [16, 24, 32]

    init(_ bytes: SecretBytes, from location: KeyLocation) {
        self.bytes = bytes
        self.location = location
    }

    /// The AES key.
    ///
    /// - Throws: `CipherError` with `invalidKey`.
    func key() throws(CipherError) -> CipherKey {
        try CipherKey(self.keyBytes())
    }

    /// The bytes of the AES key.
    ///
    /// A text of exactly 32, 48 or 64 hexadecimal digits is decoded. Else, a text that is the
    /// Base64 of 16, 24 or 32 bytes is decoded. Else, a text of 16, 24 or 32 bytes is the key
    /// itself. White space around digits or Base64 is ignored, and so is one line end after raw
    /// bytes.
    ///
    /// - Throws: `CipherError` with `invalidKey`.
    func keyBytes() throws(CipherError) -> SecretBytes {
        if let key = self.bytes.withUnsafeBytes({ Self.hexadecimal(Self.trimmed($0)) }) {
            return key
        }
        if let key = self.bytes.withUnsafeBytes({ Self.base64(Self.trimmed($0)) }),
            Self.keySizes.contains(key.count)
        {
            return key
        }
        if let kind = self.kinds.first {
            throw CipherError(.invalidKey, "\(self.location) \(kind.refusalByAES)")
        }
        if Self.keySizes.contains(self.bytes.count) { return self.bytes }
        let key = self.bytes.withUnsafeBytes { SecretBytes(Self.withoutLineEnd($0)) }
        guard Self.keySizes.contains(key.count) else {
            throw CipherError(
                .invalidKey,
                "\(self.location) holds no AES key; it must be 16, 24 or 32 bytes: raw, as 32, 48 or 64 hexadecimal"
                    + " digits, or in Base64. For a passphrase of openssl enc, add --kdf."
            )
        }
        return key
    }

    /// The kinds of the lines that begin like a known kind of key.
    private var kinds: [KeyKind] {
        self.bytes.withUnsafeBytes { bytes in
            bytes.split(separator: UInt8(ascii: "\n")).compactMap { KeyKind($0) }
        }
    }

    /// The bytes without the line feed, or the CR LF, at the end.
    private static func withoutLineEnd(
        _ bytes: UnsafeRawBufferPointer
    ) -> Slice<UnsafeRawBufferPointer> {
        guard bytes.last == UInt8(ascii: "\n") else { return bytes[...] }
        let line = bytes.dropLast()
        // A key of valid length may end with a carriage return; then only the line feed is removed.
        guard !self.keySizes.contains(line.count), line.last == UInt8(ascii: "\r") else {
            return line
        }
        return line.dropLast()
    }

    /// Whether the text is a hexadecimal or Base64 key or an age identity, which no message may
    /// show.
    var looksLikeKey: Bool {
        self.bytes.withUnsafeBytes { bytes in
            let text = Self.trimmed(bytes)
            if Self.hexadecimal(text) != nil || Self.isIdentity(text) { return true }
            return Self.base64(text).map { Self.keySizes.contains($0.count) } ?? false
        }
    }

    /// The passphrase of `openssl enc`: the first line without its line feed.
    ///
    /// As in OpenSSL, blanks and a carriage return belong to the passphrase.
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
    /// Blanks belong to the passphrase. Bytes that are not text, and a text of several lines, are
    /// refused: their first line alone would be a weak passphrase.
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
                "\(self.location) holds neither an age identity nor a passphrase, which is one line of text."
            )
        }
        return line
    }

    private var noPassphrase: CipherError {
        CipherError(
            .invalidKey,
            "\(self.location) has no passphrase on its first line; write it there."
        )
    }

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

extension KeyText {
    /// The first characters of a line of an identity file, or of an encrypted identity file.
    private static let identityStarts = [
        "AGE-SECRET-KEY-", "# public key:", "age-encryption.org/", "-----BEGIN AGE ",
    ]
    /// The identities that open an age file: from an identity file, or from a passphrase.
    ///
    /// - Throws: `CipherError` with `invalidKey` or `unsupported`.
    func identities() throws(CipherError) -> [AgeIdentity] {
        if let refusal = self.kinds.lazy.compactMap(\.refusalByAge).first {
            throw CipherError(.invalidKey, "\(self.location) \(refusal)")
        }
        let isIdentityFile = self.bytes.withUnsafeBytes { bytes in
            bytes.split(separator: UInt8(ascii: "\n")).contains { line in
                Self.identityStarts.contains { Self.starts(line, with: $0) }
            }
        }
        if isIdentityFile { return try AgeIdentity.parseFile(self.bytes) }
        let passphrase = try self.passphrase()
        let isSomethingElse = passphrase.withUnsafeBytes { bytes in
            Self.starts(bytes[...], with: "-----BEGIN ") || Self.isRecipient(bytes[...])
        }
        guard !isSomethingElse else {
            throw CipherError(
                .invalidKey,
                "\(self.location) holds neither an age identity (a line AGE-SECRET-KEY-1…, as age-keygen writes it) nor a"
                    + " passphrase; a public key, age1…, is for --recipient of weir seal."
            )
        }
        return [.passphrase(passphrase)]
    }

    /// The recipients of an age file: the public keys of an identity file, or a recipient from a
    /// passphrase.
    ///
    /// - Throws: `CipherError` with `invalidKey` or `unsupported`.
    func recipients() throws(CipherError) -> [AgeRecipient] {
        try self.identities().map(\.recipient)
    }

    /// Whether a text looks like a public key: `age1`, then many characters without a blank.
    private static func isRecipient(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        self.starts(text, with: "age1") && text.count >= 50 && text.allSatisfy { $0 > 0x20 }
    }

    static func isIdentity(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        self.starts(text, with: "AGE-SECRET-KEY-1")
    }

    /// Whether a line starts with a text, in any case.
    private static func starts(_ line: Slice<UnsafeRawBufferPointer>, with start: String) -> Bool {
        line.count >= start.utf8.count
            && zip(line, start.utf8).allSatisfy { self.lowered($0) == self.lowered($1) }
    }

    private static func lowered(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }
}

/// Base64 (RFC 4648 §4 and §5) of secrets; Foundation's decoder would leave copies in memory.
extension KeyText {
    /// The decoded bytes.
    ///
    /// The padding may be missing or correct. The alphabets of §4 and §5 must not be mixed. Bits
    /// after the last byte are zero. The result is `nil` for any other text, and for an empty one.
    private static func base64(_ text: Slice<UnsafeRawBufferPointer>) -> SecretBytes? {
        let digits = text.prefix { $0 != UInt8(ascii: "=") }
        let padding = text[digits.endIndex...]
        let unused = digits.count % 4
        guard !digits.isEmpty, unused != 1, padding.allSatisfy({ $0 == UInt8(ascii: "=") }),
            padding.isEmpty || unused > 0 && unused + padding.count == 4,
            digits.allSatisfy({ self.base64Value($0) != nil }), !self.isMixed(digits)
        else { return nil }
        if let last = digits.last.flatMap(self.base64Value) {
            let spare: UInt8 = unused == 2 ? 0b1111 : unused == 3 ? 0b11 : 0
            guard last & spare == 0 else { return nil }
        }
        return SecretBytes(count: digits.count * 6 / 8) { room in
            var bits: UInt32 = 0
            var count = 0
            var index = 0
            for digit in digits {
                bits = bits << 6 | UInt32(self.base64Value(digit) ?? 0)
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

    private static func base64Value(_ byte: UInt8) -> UInt8? {
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
