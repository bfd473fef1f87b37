// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

extension AgeHeader {
    /// Writes a header that contains a file key, wrapped for each recipient.
    ///
    /// For a passphrase the work factor decides the time and the memory.
    ///
    /// - Parameters:
    ///   - fileKey: 16 random bytes, unique to the file.
    ///   - recipients: one or more public keys, or exactly one passphrase.
    /// - Returns: The header, with a line feed at its end, in the form of ``AgeHeader/read(_:)``.
    /// - Throws: ``CipherError`` with `invalidSettings` for no recipients, for a passphrase with another recipient,
    ///   for a work factor out of range, and for a header that would be too long; `invalidKey` for a file key of
    ///   the wrong length, an empty passphrase, and a weak public key; `tooCostly` if there is not enough memory.
    static func bytes(
        fileKey: SecretBytes,
        for recipients: [AgeRecipient]
    ) throws(CipherError) -> [UInt8] {
        guard fileKey.count == AgeStanza.fileKeyCount else {
            throw CipherError(
                .invalidKey,
                "The key of an age file has \(AgeStanza.fileKeyCount) bytes, and this key has \(fileKey.count)."
            )
        }
        try Self.check(recipients)
        var header = Self.versionLine
        for recipient in recipients {
            let stanza =
                switch recipient.key {
                case .x25519(let key):
                    try X25519Stanza.wrap(fileKey, for: key)
                case .passphrase(let passphrase, let workFactor):
                    try ScryptStanza.wrap(fileKey, under: passphrase, workFactor: workFactor)
                }
            header.append(contentsOf: stanza.bytes)
        }
        header.append(contentsOf: "---".utf8)
        let code = HMAC<SHA256>.authenticationCode(
            for: header,
            using: Self.authenticationKey(of: fileKey)
        )
        header.append(UInt8(ascii: " "))
        header.append(contentsOf: [UInt8](base64Of: Array(code)))
        header.append(UInt8(ascii: "\n"))
        guard header.count <= Self.largestLength else {
            throw CipherError(
                .invalidSettings,
                "The header for \(recipients.count) recipients would be longer than the limit of \(Self.largestLength) "
                    + "bytes; encrypt for fewer recipients."
            )
        }
        return header
    }

    private static func check(_ recipients: [AgeRecipient]) throws(CipherError) {
        guard !recipients.isEmpty else {
            throw CipherError(
                .invalidSettings,
                "No recipient is given; give a public key or a passphrase."
            )
        }
        guard recipients.count == 1 || !recipients.contains(where: \.key.isPassphrase) else {
            throw CipherError(
                .invalidSettings,
                "A passphrase must be the only recipient of an age file; give the passphrase alone, or only public"
                    + " keys."
            )
        }
    }

    /// The key that authenticates a header.
    ///
    /// - Parameter fileKey: 16 bytes.
    /// - Returns: a key of 256 bits.
    static func authenticationKey(of fileKey: SecretBytes) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: fileKey.withUnsafeBytes { SymmetricKey(data: $0) },
            salt: [UInt8](),
            info: Array("header".utf8),
            outputByteCount: 32
        )
    }
}
