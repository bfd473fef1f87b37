// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto

extension AgeHeader {
    /// Takes the file key out, and checks with it that the header is the one that was written.
    ///
    /// For a passphrase it takes the time and the memory that the file demands, as far as the identity allows.
    ///
    /// - Parameter identities: those that may open it, each tried in its turn.
    /// - Returns: 16 bytes.
    /// - Throws: ``CipherError`` with `wrongKey` if none opens it, `unsupported` if only kinds of recipients are in it that
    ///   Weir does not know, `tooCostly` if a passphrase takes more work than its identity allows and no other opens it,
    ///   `damaged` if the header was changed, and `invalidKey` for an empty passphrase.
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
                using: AgeFileKey.headerKey(of: fileKey)
            )
        else {
            throw CipherError(
                .damaged,
                "The header of the age file was changed after it was written, or is damaged; "
                    + "fetch the file again, or encrypt it anew.",
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
            guard case .passphrase(let passphrase, let limit) = identity.secret else { continue }
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
            guard case .x25519(let key) = identity.secret else { continue }
            for stanza in stanzas {
                if let fileKey = try stanza.unwrap(with: key) { return fileKey }
            }
        }
        return nil
    }

    /// Why no identity has opened the file.
    private func refusal(of identities: [AgeIdentity]) -> CipherError {
        let passphrases = identities.count { $0.isPassphrase }
        let keys = identities.count - passphrases
        switch self.recipients {
        case .passphrase where passphrases == 0:
            return CipherError(
                .wrongKey,
                "The file is encrypted with a passphrase, and none was given; give the passphrase."
            )
        case .passphrase:
            return CipherError(
                .wrongKey,
                passphrases == 1
                    ? "The passphrase is not the one that the file is encrypted with; check it."
                    : "None of the \(passphrases) passphrases is the one that the file is encrypted with; check them."
            )
        case .publicKeys([]):
            return CipherError(
                .unsupported,
                "The file is encrypted only for kinds of recipients that Weir does not know, such as SSH keys and "
                    + "plugins; encrypt it for an X25519 key, which starts with “age1”."
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
                    ? "The file is not encrypted for the identity that was given; give one of its recipients."
                    : "The file is encrypted for none of the \(keys) identities; give one of its recipients."
            )
        }
    }
}
