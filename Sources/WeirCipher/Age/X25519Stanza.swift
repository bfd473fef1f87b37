// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A file key wrapped for an X25519 public key (age.md, "The X25519 recipient type").
struct X25519Stanza: Equatable {
    /// The first argument.
    static let name = "X25519"

    /// The public half of the key pair made for this stanza; 32 bytes.
    let share: [UInt8]
    /// 32 bytes.
    let wrapped: [UInt8]
    /// The position of the stanza in the file.
    let offset: Int64

    /// Reads a stanza whose first argument is ``name``.
    ///
    /// - Parameter stanza: the stanza.
    /// - Throws: ``CipherError`` with `damaged`.
    init(_ stanza: AgeStanza) throws(CipherError) {
        guard stanza.arguments.count == 2 else {
            throw stanza.damage("it has \(stanza.arguments.count) arguments instead of 2")
        }
        self.share = try stanza.bytes(ofArgument: 1, count: 32)
        self.wrapped = try stanza.wrappedFileKey()
        self.offset = stanza.offset
    }

    /// Wraps a file key.
    ///
    /// - Parameters:
    ///   - fileKey: the file key of 16 bytes.
    ///   - recipient: the public key to wrap it for.
    /// - Returns: The stanza.
    /// - Throws: ``CipherError`` with `invalidKey` for a weak public key, which gives every sender
    ///   the same secret.
    static func wrap(
        _ fileKey: SecretBytes,
        for recipient: Curve25519.KeyAgreement.PublicKey
    ) throws(CipherError) -> AgeStanza {
        let ephemeral = Curve25519.KeyAgreement.PrivateKey()
        let share = Array(ephemeral.publicKey.rawRepresentation)
        guard
            let wrapKey = Self.wrapKey(
                ephemeral,
                with: recipient,
                salt: share + Array(recipient.rawRepresentation)
            ),
            let body = try? AgeStanza.wrap(fileKey, under: wrapKey)
        else {
            throw CipherError(
                .invalidKey,
                "Weir cannot encrypt for one of the public keys, because anyone could read the result; ask its owner "
                    + "for another key."
            )
        }
        return AgeStanza(
            arguments: [Self.name, String(decoding: [UInt8](base64Of: share), as: UTF8.self)],
            body: body
        )
    }

    /// Unwraps the file key.
    ///
    /// - Parameter identity: a private key to try.
    /// - Returns: the file key of 16 bytes; `nil` if it is wrapped for another recipient.
    /// - Throws: ``CipherError`` with `damaged` for a weak share, which gives every sender the same
    ///   secret.
    func unwrap(
        with identity: Curve25519.KeyAgreement.PrivateKey
    ) throws(CipherError) -> SecretBytes? {
        guard
            let share = try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: self.share),
            let wrapKey = Self.wrapKey(
                identity,
                with: share,
                // The share as stored in the file: X25519 itself ignores one of its bits.
                salt: self.share + Array(identity.publicKey.rawRepresentation)
            )
        else {
            throw CipherError(
                .damaged,
                "The header of the age file is damaged or forged: the part at byte \(self.offset) wraps the file key "
                    + "so that it is not secret; fetch the file again from a source that you trust.",
                offset: self.offset
            )
        }
        return AgeStanza.unwrap(self.wrapped, under: wrapKey)
    }

    /// The key that wraps a file key.
    ///
    /// `nil` if the shared secret is all zeros (RFC 7748 §6.1): some implementations of X25519
    /// accept it.
    private static func wrapKey(
        _ privateKey: Curve25519.KeyAgreement.PrivateKey,
        with publicKey: Curve25519.KeyAgreement.PublicKey,
        salt: [UInt8]
    ) -> SymmetricKey? {
        guard
            let secret = try? privateKey.sharedSecretFromKeyAgreement(with: publicKey),
            secret.withUnsafeBytes({ $0.reduce(0, |) }) != 0
        else { return nil }
        return secret.hkdfDerivedSymmetricKey(
            using: SHA256.self,
            salt: salt,
            sharedInfo: Array("age-encryption.org/v1/X25519".utf8),
            outputByteCount: 32
        )
    }
}
