// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Where the key of AES media comes from.
public enum AESKeySource: Sendable {
    /// The same key for every resource.
    case key(CipherKey)
    /// A passphrase, and the derivation for files that start with `Salted__`; the vector is derived with the key, so that
    /// ``AESFormat/initialVector`` must be ``InitialVector/fromKey``.
    /// The key has `keyLength` bytes: 16, 24 or 32.
    case passphrase(SecretBytes, KeyDerivation, keyLength: Int = 32)
    /// Somebody who is asked once for each generation of a resource, before its first byte is decrypted: a licence
    /// server.
    ///
    /// What it throws ends the reading.
    case provider(@Sendable (KeyRequest) async throws -> KeyMaterial)
}
