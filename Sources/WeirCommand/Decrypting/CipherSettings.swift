// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCipher

/// How something is decrypted: all but the key, of which it is only known where it is.
struct CipherSettings: Hashable, Sendable {
    /// What the stored bytes are.
    enum Format: Hashable, Sendable {
        /// AES with a key, or with a passphrase that a key is made of.
        case aes(AESFormat, Derivation?)
        /// age v1.
        case age
    }

    /// How a key is made of a passphrase.
    struct Derivation: Hashable, Sendable {
        var derivation: KeyDerivation
        /// In bytes.
        var keyLength: Int
    }

    var key: KeyPlace
    var format: Format

    /// Reads the key.
    ///
    /// - Parameter keys: reads it.
    /// - Returns: what decrypts.
    /// - Throws: ``CommandError`` if there is nothing to read, `CipherError` if what is there is no key.
    func decryption(_ keys: KeyReader) throws -> Decryption {
        let text = try keys.text(self.key)
        switch self.format {
        case .age: return .age(.identities(try text.identities()))
        case .aes(let format, nil): return try .aes(format, key: .key(text.key()))
        case .aes(let format, let derivation?):
            return try .aes(
                format,
                key: .passphrase(
                    text.opensslPassphrase(),
                    derivation.derivation,
                    keyLength: derivation.keyLength
                )
            )
        }
    }
}
