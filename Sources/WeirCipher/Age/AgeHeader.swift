// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The recipients' part at the start of an age file (C2SP age.md, version 1).
///
///     age-encryption.org/v1                                     ┐
///     -> X25519 XEl0dJ6y3C7KZkgmgWUicg63EyXJiwBJW8PdYJ/cYBE     │ authenticated,
///     qRS0AMjdjPvZ/WT08U2KL4G+PIooA3hy38SvLpvaC1E               │ up to and including "---"
///     --- HK2NmOBN9Dpq0Gw6xMCuhFcQlQLvZ/wQUi/2scLG75s           ┘
struct AgeHeader: Equatable {
    /// The recipients for which a file key is wrapped, if Weir supports their kinds.
    enum Recipients: Equatable {
        /// A passphrase, which must be the only recipient.
        case passphrase(ScryptStanza)
        /// Public keys; empty if the header has only unsupported kinds.
        case publicKeys([X25519Stanza])
    }

    /// The longest accepted header, 64 KiB: enough for more than 600 recipients.
    static let largestLength = 65_536
    /// The start of a file of any version.
    static let versionPrefix = Array("age-encryption.org/".utf8)
    /// The start of a file of the supported version.
    static let versionLine = Array("age-encryption.org/v1\n".utf8)

    /// The recipients for which the file key is wrapped.
    let recipients: Recipients
    /// The bytes from the start to `---`, which ``code`` authenticates.
    let authenticated: [UInt8]
    /// The authentication code, 32 bytes.
    let code: [UInt8]
    /// The length of the header in bytes, with the line feed at its end.
    let length: Int

    /// Reads a header, strictly.
    ///
    /// - Parameter bytes: the first bytes of a file, as many as are available; bytes behind the
    ///   header are ignored.
    /// - Returns: The header; `nil` if it is valid so far but not complete. It is never `nil` for
    ///   ``largestLength`` bytes or more.
    /// - Throws: ``CipherError`` with `unsupported` for a file of another format or version,
    ///   `damaged` for a malformed header, and `tooCostly` for a header that is too long.
    static func read(_ bytes: [UInt8]) throws(CipherError) -> AgeHeader? {
        var parser = AgeHeaderParser(bytes)
        return try parser.header()
    }

    /// Whether a file is in age's text form.
    ///
    /// The text form starts with a PEM line, after white space. If the bytes end within that line,
    /// its beginning suffices.
    static func isArmoured(_ bytes: some Collection<UInt8>) -> Bool {
        let marker = Array("-----BEGIN AGE ENCRYPTED FILE-----".utf8)
        let start = bytes.drop { " \t\r\n".utf8.contains($0) }.prefix(marker.count)
        return !start.isEmpty && marker.starts(with: start)
    }
}

extension AgeHeader {
    /// Unwraps the file key, and verifies with it that the header is unchanged.
    ///
    /// For a passphrase the file decides the time and the memory, within the limit of the identity.
    ///
    /// - Parameter identities: the identities to try, in this order.
    /// - Returns: the file key of 16 bytes.
    /// - Throws: ``CipherError`` with `wrongKey` if no identity opens the file, `unsupported` if it
    ///   has only unsupported kinds of recipients, `tooCostly` if a passphrase takes more work than
    ///   its identity allows and no other opens the file, `damaged` if the header was changed, and
    ///   `invalidKey` for an empty passphrase.
    func fileKey(for identities: [AgeIdentity]) throws(CipherError) -> SecretBytes {
        let unwrapped: SecretBytes? =
            switch self.recipients {
            case .passphrase(let stanza): try Self.unwrap(stanza, with: identities)
            case .publicKeys(let stanzas): try Self.unwrap(stanzas, with: identities)
            }
        guard let fileKey = unwrapped else { throw self.refusal(of: identities) }
        guard
            HMAC<SHA256>.isValidAuthenticationCode(
                self.code,
                authenticating: self.authenticated,
                using: Self.authenticationKey(of: fileKey)
            )
        else {
            throw CipherError(
                .damaged,
                "The header of the age file was changed after it was written, or is damaged; fetch the file again, or "
                    + "encrypt it again.",
                offset: Int64(self.authenticated.count)
            )
        }
        return fileKey
    }

    private static func unwrap(
        _ stanza: ScryptStanza,
        with identities: [AgeIdentity]
    ) throws(CipherError) -> SecretBytes? {
        var tooCostly: CipherError?
        for identity in identities {
            guard case .passphrase(let passphrase, let limit) = identity.key else { continue }
            do throws(CipherError) {
                if let fileKey = try stanza.unwrap(with: passphrase, limit: limit) {
                    return fileKey
                }
            } catch {
                guard error.code == .tooCostly else { throw error }
                tooCostly = tooCostly ?? error
            }
        }
        if let tooCostly { throw tooCostly }
        return nil
    }

    private static func unwrap(
        _ stanzas: [X25519Stanza],
        with identities: [AgeIdentity]
    ) throws(CipherError) -> SecretBytes? {
        for identity in identities {
            guard case .x25519(let key) = identity.key else { continue }
            for stanza in stanzas {
                if let fileKey = try stanza.unwrap(with: key) { return fileKey }
            }
        }
        return nil
    }

    /// The error if no identity has opened the file.
    private func refusal(of identities: [AgeIdentity]) -> CipherError {
        let passphrases = identities.count { $0.key.isPassphrase }
        let keys = identities.count - passphrases
        switch self.recipients {
        case .passphrase where passphrases == 0:
            return CipherError(
                .wrongKey,
                "The file is encrypted with a passphrase, and no passphrase was given; give the passphrase."
            )
        case .passphrase:
            return CipherError(
                .wrongKey,
                passphrases == 1
                    ? "The passphrase does not decrypt the file; check it."
                    : "None of the \(passphrases) passphrases decrypts the file; check them."
            )
        case .publicKeys([]):
            return CipherError(
                .unsupported,
                "The file is encrypted only for kinds of recipients that Weir does not support, such as SSH keys and "
                    + "plugins; decrypt it with age itself, or encrypt it for an X25519 key, which starts with “age1”."
            )
        case .publicKeys where keys == 0:
            return CipherError(
                .wrongKey,
                "The file is encrypted for public keys, and "
                    + (passphrases == 0 ? "no identity" : "only a passphrase")
                    + " was given; give an identity, which starts with “AGE-SECRET-KEY-1”."
            )
        case .publicKeys:
            return CipherError(
                .wrongKey,
                keys == 1
                    ? "The file is not encrypted for the given identity; give the identity of one of its recipients."
                    : "The file is encrypted for none of the \(keys) identities; give the identity of one of its recipients."
            )
        }
    }
}
