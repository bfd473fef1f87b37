// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

/// An AES key of 128, 192 or 256 bits; wiped when its last copy has gone, and shown by no text.
public struct CipherKey: Sendable {
    let symmetric: SymmetricKey

    init(_ symmetric: SymmetricKey) {
        self.symmetric = symmetric
    }

    /// A key by its bytes.
    ///
    /// - Parameter bytes: 16, 24 or 32.
    /// - Throws: ``CipherError`` with `invalidKey`.
    public init(_ bytes: SecretBytes) throws(CipherError) {
        guard [16, 24, 32].contains(bytes.count) else {
            throw CipherError(
                .invalidKey,
                "An AES key has 16, 24 or 32 bytes, and this one has \(bytes.count); check where it comes from."
            )
        }
        self.symmetric = bytes.withUnsafeBytes { SymmetricKey(data: $0) }
    }

    /// How many bytes the key has.
    public var count: Int { self.symmetric.bitCount / 8 }
}

extension CipherKey: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// What it is, and nothing of its bytes.
    public var description: String { "an AES key of \(self.symmetric.bitCount) bits" }
    /// ``description``.
    public var debugDescription: String { self.description }
    /// Nothing.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Where the key of AES media comes from.
public enum AESKeySource: Sendable {
    /// The same key for every resource.
    case key(CipherKey)
    /// A passphrase, and the derivation for files that start with `Salted__`; the vector is derived with the key, so that
    /// ``AESFormat/initialVector`` must be ``InitialVector/fromKey``.
    /// The key has `keyLength` bytes: 16, 24 or 32.
    case passphrase(SecretBytes, KeyDerivation, keyLength: Int = 32)
    /// A closure that is called once for each generation of a resource, before its first byte is decrypted; it may ask
    /// a licence server.
    ///
    /// An error that it throws ends the reading.
    case provider(@Sendable (KeyRequest) async throws -> KeyMaterial)
}

/// What a key is asked for: see ``Decryption``.
public struct KeyRequest: Hashable, Sendable {
    /// The resource, as it is called in sentences; no query and no credential is in it.
    public var resource: String
    /// The file name that the origin tells, without a folder; `nil` if it tells none.
    public var fileName: String?

    /// Names a resource.
    public init(resource: String, fileName: String? = nil) {
        self.resource = resource
        self.fileName = fileName
    }
}

/// A key, and the initialization vector where it comes with the key.
public struct KeyMaterial: Sendable {
    /// The key.
    public var key: CipherKey
    /// 16 bytes, for ``InitialVector/fromKey``.
    public var initialVector: [UInt8]?

    /// Joins a key and a vector.
    public init(_ key: CipherKey, initialVector: [UInt8]? = nil) {
        self.key = key
        self.initialVector = initialVector
    }
}
