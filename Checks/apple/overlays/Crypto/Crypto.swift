// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are Apple's or the compiler's, and what they mean is documented there.

// swift-crypto's Crypto, which on Apple platforms is CryptoKit and nothing else.

public import Foundation

public struct SymmetricKeySize: Sendable {
    public static var bits256: SymmetricKeySize { unseen() }
}

public struct SymmetricKey: ContiguousBytes, Sendable {
    public init<Bytes: ContiguousBytes>(data: Bytes) { unseen() }
    public init(size: SymmetricKeySize) { unseen() }
    public var bitCount: Int { unseen() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { unseen() }
}

public protocol Digest: Hashable, ContiguousBytes, CustomStringConvertible, Sequence, Sendable
where Element == UInt8 {
    static var byteCount: Int { get }
}

public protocol HashFunction: Sendable {
    associatedtype Digest: Crypto.Digest
    static var blockByteCount: Int { get }
    init()
    mutating func update(bufferPointer: UnsafeRawBufferPointer)
    func finalize() -> Digest
}

extension HashFunction {
    public static func hash<D: DataProtocol>(data: D) -> Digest { unseen() }
    public mutating func update<D: DataProtocol>(data: D) { unseen() }
}

/// The digest of a function; CryptoKit has a type for each.
public struct SomeDigest<Function: HashFunction>: Digest {
    public static var byteCount: Int { unseen() }
    public var description: String { unseen() }
    public func makeIterator() -> Array<UInt8>.Iterator { unseen() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { unseen() }
}

public struct SHA256: HashFunction {
    public typealias Digest = SomeDigest<SHA256>
    public static var blockByteCount: Int { unseen() }
    public static var byteCount: Int { unseen() }
    public init() { unseen() }
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { unseen() }
    public func finalize() -> Digest { unseen() }
}

public struct SHA384: HashFunction {
    public typealias Digest = SomeDigest<SHA384>
    public static var blockByteCount: Int { unseen() }
    public init() { unseen() }
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { unseen() }
    public func finalize() -> Digest { unseen() }
}

public struct SHA512: HashFunction {
    public typealias Digest = SomeDigest<SHA512>
    public static var blockByteCount: Int { unseen() }
    public init() { unseen() }
    public mutating func update(bufferPointer: UnsafeRawBufferPointer) { unseen() }
    public func finalize() -> Digest { unseen() }
}

public enum Insecure {
    public struct MD5: HashFunction {
        public typealias Digest = SomeDigest<MD5>
        public static var blockByteCount: Int { unseen() }
        public init() { unseen() }
        public mutating func update(bufferPointer: UnsafeRawBufferPointer) { unseen() }
        public func finalize() -> Digest { unseen() }
    }

    public struct SHA1: HashFunction {
        public typealias Digest = SomeDigest<SHA1>
        public static var blockByteCount: Int { unseen() }
        public init() { unseen() }
        public mutating func update(bufferPointer: UnsafeRawBufferPointer) { unseen() }
        public func finalize() -> Digest { unseen() }
    }
}

public struct HashedAuthenticationCode<H: HashFunction>: Hashable, ContiguousBytes, Sequence, Sendable {
    public static func == <D: DataProtocol>(lhs: Self, rhs: D) -> Bool { unseen() }
    public func makeIterator() -> Array<UInt8>.Iterator { unseen() }
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { unseen() }
}

public struct HMAC<H: HashFunction>: Sendable {
    public typealias Key = SymmetricKey
    public typealias MAC = HashedAuthenticationCode<H>
    public init(key: SymmetricKey) { unseen() }
    public static func authenticationCode<D: DataProtocol>(for data: D, using key: SymmetricKey) -> MAC { unseen() }
    public static func isValidAuthenticationCode<C: ContiguousBytes, D: DataProtocol>(
        _ authenticationCode: C, authenticating authenticatedData: D, using key: SymmetricKey
    ) -> Bool { unseen() }
    public mutating func update<D: DataProtocol>(data: D) { unseen() }
    public func finalize() -> MAC { unseen() }
}

public struct HKDF<H: HashFunction>: Sendable {
    public static func deriveKey<Info: DataProtocol>(
        inputKeyMaterial: SymmetricKey, info: Info, outputByteCount: Int
    ) -> SymmetricKey { unseen() }
    public static func deriveKey<Salt: DataProtocol, Info: DataProtocol>(
        inputKeyMaterial: SymmetricKey, salt: Salt, info: Info, outputByteCount: Int
    ) -> SymmetricKey { unseen() }
}

public enum ChaChaPoly {
    public struct Nonce: ContiguousBytes, Sequence, Sendable {
        public init<D: DataProtocol>(data: D) throws { unseen() }
        public func makeIterator() -> Array<UInt8>.Iterator { unseen() }
        public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { unseen() }
    }

    public struct SealedBox: Sendable {
        public var combined: Data { unseen() }
        public var ciphertext: Data { unseen() }
        public var tag: Data { unseen() }
        public init<D: DataProtocol>(combined: D) throws { unseen() }
        public init<C: DataProtocol, T: DataProtocol>(nonce: Nonce, ciphertext: C, tag: T) throws { unseen() }
    }

    public static func seal<P: DataProtocol>(
        _ message: P, using key: SymmetricKey, nonce: Nonce? = nil
    ) throws -> SealedBox { unseen() }
    public static func open(_ sealedBox: SealedBox, using key: SymmetricKey) throws -> Data { unseen() }
}

public struct SharedSecret: ContiguousBytes, Sendable {
    public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R { unseen() }
    public func hkdfDerivedSymmetricKey<H: HashFunction, Salt: DataProtocol, Info: DataProtocol>(
        using hashFunction: H.Type, salt: Salt, sharedInfo: Info, outputByteCount: Int
    ) -> SymmetricKey { unseen() }
}

public enum Curve25519 {
    public enum KeyAgreement {
        public struct PublicKey: Sendable {
            public init<D: ContiguousBytes>(rawRepresentation: D) throws { unseen() }
            public var rawRepresentation: Data { unseen() }
        }

        public struct PrivateKey: Sendable {
            public init() { unseen() }
            public init<Bytes: ContiguousBytes>(rawRepresentation: Bytes) throws { unseen() }
            public var publicKey: PublicKey { unseen() }
            public var rawRepresentation: Data { unseen() }
            public func sharedSecretFromKeyAgreement(with publicKeyShare: PublicKey) throws -> SharedSecret { unseen() }
        }
    }
}

/// Nothing here is ever run.
func unseen() -> Never { fatalError() }
