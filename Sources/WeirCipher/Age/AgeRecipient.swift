// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The two kinds of keys for encrypting and opening age files.
enum AgeKey<KeyAgreementKey: Sendable>: Sendable {
    /// One half of a key pair.
    case x25519(KeyAgreementKey)
    /// A passphrase, with the work factor of new files, or with the largest that a file may demand.
    case passphrase(SecretBytes, workFactor: Int)

    /// Whether it is a passphrase.
    var isPassphrase: Bool {
        if case .passphrase = self { true } else { false }
    }
}

/// A recipient of an age file: the owner of an X25519 public key, `age1…`, or of a passphrase.
public struct AgeRecipient: Sendable {
    let key: AgeKey<Curve25519.KeyAgreement.PublicKey>

    /// Reads a public key in the form of `age-keygen`.
    ///
    /// - Parameter text: `age1` and 58 characters, all in lower case, without surrounding text.
    /// - Throws: ``CipherError`` with `invalidKey`; the message shows nothing of the text, which might be a secret.
    public init(parsing text: String) throws(CipherError) {
        let decoded: Bech32
        do throws(Bech32Failure) {
            decoded = try SecretBytes(text.utf8).withUnsafeBytes { bytes throws(Bech32Failure) in
                try Bech32(decoding: bytes)
            }
        } catch {
            throw CipherError(
                .invalidKey,
                "A public key of age is “age1” and 58 characters in lower case, and this one is not: "
                    + "\(error.reason); copy it again."
            )
        }
        guard decoded.prefix == "age" else { throw Self.refusal(ofPrefix: decoded.prefix) }
        guard
            let publicKey = decoded.payload.withUnsafeBytes({
                try? Curve25519.KeyAgreement.PublicKey(rawRepresentation: $0)
            })
        else {
            throw CipherError(
                .invalidKey,
                "A public key of age has 32 bytes, and this one has \(decoded.payload.count); copy it again."
            )
        }
        self.key = .x25519(publicKey)
    }

    init(_ publicKey: Curve25519.KeyAgreement.PublicKey) {
        self.key = .x25519(publicKey)
    }

    private init(_ key: AgeKey<Curve25519.KeyAgreement.PublicKey>) {
        self.key = key
    }

    /// Creates a recipient of a passphrase, which must be the only recipient of its file.
    ///
    /// - Parameters:
    ///   - passphrase: the passphrase in UTF-8, not empty, without a line break at its end.
    ///   - workFactor: the base-two logarithm of the rounds of scrypt, 1 to 30. 18 takes 256 MiB and about a second
    ///     for each try, and each further step doubles both. Readers refuse large values.
    /// - Returns: The recipient; it is checked when a file is written for it.
    public static func passphrase(
        _ passphrase: SecretBytes,
        workFactor: Int = 18
    ) -> AgeRecipient {
        AgeRecipient(.passphrase(passphrase, workFactor: workFactor))
    }

    /// The error for a text with a valid checksum that is not a supported public key.
    private static func refusal(ofPrefix prefix: String) -> CipherError {
        switch prefix {
        case _ where prefix.uppercased().hasPrefix("AGE-SECRET-KEY-"):
            CipherError(
                .invalidKey,
                "This is an identity, which must be kept secret; to encrypt, give its public key, "
                    + "which starts with “age1”."
            )
        case "AGE":
            CipherError(
                .invalidKey,
                "This public key is in upper case; write it in lower case, as age-keygen does."
            )
        case _ where prefix.hasPrefix("age1"):
            CipherError(
                .invalidKey,
                "This is a public key of a plugin or of a kind that Weir does not support; give an X25519 key, which "
                    + "is “age1” and 58 characters."
            )
        default:
            CipherError(
                .invalidKey,
                "This is not a public key of age, which would start with “age1”; copy it again."
            )
        }
    }
}

extension AgeRecipient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The public key, or a fixed text for a passphrase.
    public var description: String {
        switch self.key {
        case .x25519(let key): Bech32.encode(prefix: "age", key.rawRepresentation)
        case .passphrase: "a passphrase"
        }
    }
    /// ``description``.
    public var debugDescription: String { self.description }
    /// Empty.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
