// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How a key and a vector are made of a passphrase and of the salt in a file that starts with `Salted__`, as
/// `openssl enc` writes it.
public enum KeyDerivation: Hashable, Sendable {
    /// A hash function.
    public enum Digest: String, Hashable, Sendable {
        /// MD5, the default of OpenSSL before 1.1.0.
        case md5
        /// SHA-256, the default since.
        case sha256
        /// SHA-512.
        case sha512
    }

    /// `-pbkdf2`: PBKDF2 with HMAC (RFC 8018 §5.2); 10,000 iterations unless `-iter` says otherwise.
    case pbkdf2(iterations: Int = 10_000, Digest = .sha256)
    /// Without `-pbkdf2`: one iteration of `EVP_BytesToKey`, which anybody can undo who guesses passphrases.
    case bytesToKey(Digest = .sha256)
}
