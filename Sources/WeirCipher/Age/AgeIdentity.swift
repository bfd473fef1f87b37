// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// The secret that opens an age file: an X25519 identity, `AGE-SECRET-KEY-1…`, or a passphrase.
///
/// The secret is wiped when its last copy is released, and no text shows it.
public struct AgeIdentity: Sendable {
    /// The key; for a passphrase, the work factor is the largest one that a file may demand.
    let key: AgeKey<Curve25519.KeyAgreement.PrivateKey>

    /// Reads an identity in the form of `age-keygen`.
    ///
    /// - Parameter text: `AGE-SECRET-KEY-1` and 58 characters, all in upper case, without surrounding text.
    /// - Throws: ``CipherError`` with `invalidKey`; the message shows nothing of the text.
    public init(parsing text: SecretBytes) throws(CipherError) {
        self = try text.withUnsafeBytes { bytes throws(CipherError) in try Self(bytes) }
    }

    /// Reads an identity in the form of `age-keygen` from a string.
    ///
    /// A string cannot be wiped, so prefer bytes if you have them.
    ///
    /// - Parameter text: `AGE-SECRET-KEY-1` and 58 characters, all in upper case, alone or in the file of
    ///   `age-keygen`. White space, empty lines and lines that start with `#` are skipped. For several identities,
    ///   use ``parseFile(_:)``.
    /// - Throws: ``CipherError`` with `invalidKey`, also if the text holds more than one identity; the message
    ///   shows nothing of the text.
    public init(parsing text: String) throws(CipherError) {
        // An identity contains no white space; a comment may.
        let identities = text.split(whereSeparator: \.isNewline)
            .map { $0.split(whereSeparator: \.isWhitespace) }
            .filter { $0.first.map { $0.first != "#" } ?? false }
        guard identities.count < 2 else {
            throw CipherError(
                .invalidKey,
                "The text has \(identities.count) lines that are not comments, and one identity was expected; use"
                    + " parseFile for a file of several."
            )
        }
        let identity = identities.first?.joined(separator: " ") ?? ""
        try self.init(parsing: SecretBytes(identity.utf8))
    }

    /// Reads an identity in the form of `age-keygen` from borrowed memory.
    ///
    /// - Parameter text: the characters.
    /// - Throws: ``CipherError`` with `invalidKey`.
    init(_ text: UnsafeRawBufferPointer) throws(CipherError) {
        let decoded: Bech32
        do throws(Bech32Failure) {
            decoded = try Bech32(decoding: text)
        } catch {
            throw CipherError(
                .invalidKey,
                "An age identity is “AGE-SECRET-KEY-1” and 58 characters in upper case, and this one is not: "
                    + "\(error.reason); copy it again from the file that age-keygen wrote."
            )
        }
        guard decoded.prefix == "AGE-SECRET-KEY-" else {
            throw Self.refusal(ofPrefix: decoded.prefix)
        }
        guard
            let privateKey = decoded.payload.withUnsafeBytes({
                try? Curve25519.KeyAgreement.PrivateKey(rawRepresentation: $0)
            })
        else {
            throw CipherError(
                .invalidKey,
                "An age identity has 32 bytes, and this one has \(decoded.payload.count); copy it again from the file "
                    + "that age-keygen wrote."
            )
        }
        self.key = .x25519(privateKey)
    }

    private init(_ key: AgeKey<Curve25519.KeyAgreement.PrivateKey>) {
        self.key = key
    }

    /// Creates an identity of a passphrase, for a file that was encrypted with it.
    ///
    /// - Parameters:
    ///   - passphrase: the passphrase in UTF-8, without a line break at its end.
    ///   - largestWorkFactor: how much work a file may demand, as the base-two logarithm of the rounds of scrypt.
    ///     18 takes 256 MiB and about a second; each further step doubles both. A file that demands more is refused
    ///     before any work. Values above 30 mean 30.
    /// - Returns: The identity.
    public static func passphrase(
        _ passphrase: SecretBytes,
        largestWorkFactor: Int = 18
    ) -> AgeIdentity {
        AgeIdentity(
            .passphrase(
                passphrase,
                workFactor: min(largestWorkFactor, ScryptStanza.workFactors.upperBound)
            )
        )
    }

    /// The recipient whose files this identity opens.
    ///
    /// It is the public key, or the same passphrase with the usual work factor. If the identity allows only a
    /// smaller work factor, the recipient has that one.
    public var recipient: AgeRecipient {
        switch self.key {
        case .x25519(let key):
            AgeRecipient(key.publicKey)
        case .passphrase(let passphrase, let largestWorkFactor):
            .passphrase(passphrase, workFactor: min(18, largestWorkFactor))
        }
    }

    /// The error for a text with a valid checksum that is not a supported identity.
    private static func refusal(ofPrefix prefix: String) -> CipherError {
        switch prefix {
        case "age":
            CipherError(
                .invalidKey,
                "This is a public key, for which files are encrypted; to read them, give the identity, "
                    + "which starts with “AGE-SECRET-KEY-1”."
            )
        case "age-secret-key-":
            CipherError(
                .invalidKey,
                "This age identity is in lower case; write it in upper case, as age-keygen does."
            )
        case "AGE-SECRET-KEY-PQ-":
            CipherError(
                .invalidKey,
                "This is a post-quantum age identity, which Weir does not support; give an X25519 identity, which "
                    + "starts with “AGE-SECRET-KEY-1”."
            )
        case _ where prefix.hasPrefix("AGE-PLUGIN-"):
            CipherError(
                .invalidKey,
                "This age identity belongs to a plugin, and Weir does not use plugins; give an X25519 identity, which "
                    + "starts with “AGE-SECRET-KEY-1”."
            )
        default:
            CipherError(
                .invalidKey,
                "This is not an age identity, which would start with “AGE-SECRET-KEY-1”; copy it again from the file "
                    + "that age-keygen wrote."
            )
        }
    }
}

extension AgeIdentity: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The kind of the identity, and nothing of the secret.
    public var description: String {
        switch self.key {
        case .x25519: "an age identity"
        case .passphrase: "a passphrase"
        }
    }
    /// ``description``.
    public var debugDescription: String { self.description }
    /// Empty.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension AgeIdentity {
    /// Reads the identities of a file in the form of `age-keygen`.
    ///
    /// The file has one identity a line. Empty lines and lines that start with `#` are skipped, and a line may end
    /// with CR LF.
    ///
    /// - Parameter text: the whole file.
    /// - Returns: The identities, in their order; at least one.
    /// - Throws: ``CipherError`` with `invalidKey` if a line holds something else or the file holds no identity,
    ///   and with `unsupported` if the file is itself encrypted. The message names the line and shows nothing of
    ///   it.
    public static func parseFile(_ text: SecretBytes) throws(CipherError) -> [AgeIdentity] {
        try text.withUnsafeBytes { bytes throws(CipherError) in
            try Self.refuseEncryptedFile(bytes)
            var identities: [AgeIdentity] = []
            let lines = bytes.split(
                separator: UInt8(ascii: "\n"),
                omittingEmptySubsequences: false
            )
            for (index, line) in lines.enumerated() {
                let content = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
                guard let first = content.first, first != UInt8(ascii: "#") else { continue }
                do throws(CipherError) {
                    identities.append(try AgeIdentity(UnsafeRawBufferPointer(rebasing: content)))
                } catch {
                    throw CipherError(
                        error.code,
                        "Line \(index + 1) of the identity file cannot be used. \(error.message)"
                    )
                }
            }
            guard !identities.isEmpty else {
                throw CipherError(
                    .invalidKey,
                    "The identity file has no identity; make one with age-keygen."
                )
            }
            return identities
        }
    }

    private static func refuseEncryptedFile(_ bytes: UnsafeRawBufferPointer) throws(CipherError) {
        guard bytes.starts(with: AgeHeader.versionPrefix) || AgeHeader.isArmoured(bytes) else {
            return
        }
        throw CipherError(
            .unsupported,
            "The identity file is itself encrypted; decrypt it with “age --decrypt”, and give the result."
        )
    }
}

/// The source of the identities that open an age file.
public enum AgeKeySource: Sendable {
    /// These identities, tried in this order.
    case identities([AgeIdentity])
    /// A closure that is called once for each generation of a resource; it may ask a licence server.
    ///
    /// An error that it throws ends the reading.
    case provider(@Sendable (KeyRequest) async throws -> [AgeIdentity])
}
