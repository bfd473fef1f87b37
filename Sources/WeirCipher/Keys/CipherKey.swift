// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

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

/// Which resource a key is asked for: see ``Decryption``.
public struct KeyRequest: Hashable, Sendable {
    /// The address that the application asked for, with its query and without a user.
    ///
    /// A file of a storage and a source of the application's own have none. Theirs has the scheme `weir` and the path
    /// ``resource``.
    public var url: URL
    /// The name of the account that the medium belongs to; `nil` without one.
    public var account: String?
    /// The resource, as it is called in sentences; no query and no credential is in it.
    public var resource: String
    /// The file name that the origin tells, without a folder; `nil` if it tells none.
    public var fileName: String?

    /// Names a resource; without an address, one that has none.
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

/// A key, and the initialization vector where it comes with the key.
public struct KeyMaterial: Sendable {
    /// The key.
    package var key: CipherKey
    /// 16 bytes, for ``InitialVector/fromKey``.
    package var initialVector: [UInt8]?

    /// A key and a vector as a licence server gives them.
    ///
    /// - Parameters:
    ///   - key: 16, 24 or 32 bytes; the caller's copy is the caller's to wipe.
    ///   - initialVector: 16 bytes, for ``InitialVector/fromKey``; `nil` if the file or the format has it.
    /// - Throws: ``CipherError`` with `invalidKey` for a key or a vector of another length.
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
