// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// An AES key of 128, 192 or 256 bits; wiped when its last copy is released, and shown in no text.
public struct CipherKey: Sendable {
    let symmetric: SymmetricKey

    init(_ symmetric: SymmetricKey) {
        self.symmetric = symmetric
    }

    /// Creates a key from its bytes.
    ///
    /// - Parameter bytes: 16, 24 or 32 bytes.
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
    /// The kind of the key, and nothing of its bytes.
    public var description: String { "an AES key of \(self.symmetric.bitCount) bits" }
    /// ``description``.
    public var debugDescription: String { self.description }
    /// Empty.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The source of the key of AES media.
public enum AESKeySource: Sendable {
    /// The same key for every resource.
    case key(CipherKey)
    /// A passphrase, and the derivation for files that start with `Salted__`.
    ///
    /// The vector is derived with the key, so ``AESFormat/initialVector`` must be
    /// ``InitialVector/fromKey``. The key has `keyLength` bytes: 16, 24 or 32.
    case passphrase(SecretBytes, KeyDerivation, keyLength: Int = 32)
    /// A closure that is called once for each generation of a resource, before its first byte is
    /// decrypted.
    ///
    /// It may ask a licence server. An error that it throws ends the reading.
    case provider(@Sendable (KeyRequest) async throws -> KeyMaterial)
}

/// The resource for which a key is requested: see ``Decryption``.
public struct KeyRequest: Hashable, Sendable {
    /// The address that the application requested, with its query and without a user.
    ///
    /// Files of a storage and of an application's own source have no address. For them the URL has
    /// the scheme `weir` and the path ``resource``.
    public var url: URL
    /// The name of the medium's account; `nil` if it has none.
    public var account: String?
    /// The resource's name in messages, without a query or a credential.
    public var resource: String
    /// The file name from the origin, without a folder; `nil` if there is none.
    public var fileName: String?

    /// Creates a request; without an address for a resource that has none.
    public init(
        url: URL? = nil,
        account: String? = nil,
        resource: String,
        fileName: String? = nil
    ) {
        var components = URLComponents()
        components.scheme = "weir"
        components.path = resource
        self.url = url ?? components.url ?? URL(filePath: resource)
        self.account = account
        self.resource = resource
        self.fileName = fileName
    }
}

extension KeyRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// ``resource``: the query of the address may hold a secret.
    public var description: String { self.resource }
    /// ``resource``.
    public var debugDescription: String { self.resource }
    /// Shows no member.
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// A key, with its initialization vector if the vector comes with the key.
public struct KeyMaterial: Sendable {
    /// The key.
    package var key: CipherKey
    /// 16 bytes, for ``InitialVector/fromKey``.
    package var initialVector: [UInt8]?

    /// Creates key material from a licence server's key and vector.
    ///
    /// - Parameters:
    ///   - key: 16, 24 or 32 bytes; the caller must wipe its own copy.
    ///   - initialVector: 16 bytes, for ``InitialVector/fromKey``; `nil` if the file or the format
    ///     has the vector.
    /// - Throws: ``CipherError`` with `invalidKey` for a key or a vector of a wrong length.
    public init(key: Data, initialVector: Data? = nil) throws(CipherError) {
        let vector = initialVector.map { Array($0) }
        guard vector.map({ $0.count == AESFormat.blockSize }) ?? true else {
            throw CipherError(
                .invalidKey,
                "An initialization vector has 16 bytes, and this one has \(vector?.count ?? 0); check where it comes from."
            )
        }
        self.init(try CipherKey(SecretBytes(key)), initialVector: vector)
    }

    /// Joins a key and a vector.
    package init(_ key: CipherKey, initialVector: [UInt8]? = nil) {
        self.key = key
        self.initialVector = initialVector
    }
}
