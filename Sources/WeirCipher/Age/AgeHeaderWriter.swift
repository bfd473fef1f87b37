// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// Writes the header of an age file.
enum AgeHeaderWriter {
    /// Wraps a file key for everybody who is to read the file.
    ///
    /// For a passphrase it takes the time and the memory that its work factor says.
    ///
    /// - Parameters:
    ///   - fileKey: 16 random bytes that no other file has.
    ///   - recipients: one or more public keys, or one passphrase and nothing else.
    /// - Returns: The header, with the line feed at its end; what ``AgeHeader/read(_:)`` reads.
    /// - Throws: ``CipherError`` with `invalidSettings` for no recipients, for a passphrase beside another recipient, for a
    ///   work factor that is out of range, and if the header became too long; `invalidKey` for a file key of another
    ///   length, an empty passphrase and a public key that keeps no secret; `tooCostly` if there is not enough memory.
    static func bytes(
        fileKey: SecretBytes,
        for recipients: [AgeRecipient]
    ) throws(CipherError) -> [UInt8] {
        guard fileKey.count == AgeFileKey.count else {
            throw CipherError(
                .invalidKey,
                "The key of an age file has \(AgeFileKey.count) bytes, and this one \(fileKey.count)."
            )
        }
        try Self.check(recipients)
        var header = AgeHeader.versionLine
        for recipient in recipients {
            let stanza =
                switch recipient.lock {
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
            using: AgeFileKey.headerKey(of: fileKey)
        )
        header.append(UInt8(ascii: " "))
        header.append(contentsOf: UnpaddedBase64.encode(Array(code)))
        header.append(UInt8(ascii: "\n"))
        guard header.count <= AgeHeader.largestLength else {
            throw CipherError(
                .invalidSettings,
                "The header for \(recipients.count) recipients would be longer than the \(AgeHeader.largestLength) "
                    + "bytes that are read; encrypt for fewer."
            )
        }
        return header
    }

    private static func check(_ recipients: [AgeRecipient]) throws(CipherError) {
        guard !recipients.isEmpty else {
            throw CipherError(
                .invalidSettings,
                "Nobody is named whom the file is encrypted for; give a public key or a passphrase."
            )
        }
        guard recipients.count == 1 || !recipients.contains(where: \.isPassphrase) else {
            throw CipherError(
                .invalidSettings,
                "A passphrase must be the only recipient of an age file; give it alone, or only public keys."
            )
        }
    }
}
