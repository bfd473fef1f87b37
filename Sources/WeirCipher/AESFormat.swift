// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// The AES format of an encrypted file: everything except the key.
///
/// A stored file has three parts, in this order. First come the 16 bytes of the vector, if ``initialVector`` is
/// ``InitialVector/prefix`` (or `Salted__` and a salt, if the key is derived from a passphrase). Then come
/// ``plainHeaderLength`` bytes, unencrypted, and then the rest of the plain file, encrypted. Nothing is
/// authenticated: a person with write access to the server can change the media.
public struct AESFormat: Hashable, Sendable {
    /// The mode of operation (NIST SP 800-38A).
    public enum Mode: Hashable, Sendable {
        /// A big-endian counter of 128 bits, incremented for each block.
        case ctr
        /// Cipher block chaining.
        case cbc
        /// Independent blocks, which reveals repeated blocks.
        case ecb
    }

    /// How CBC and ECB fill the last block; CTR needs no padding.
    public enum Padding: Hashable, Sendable {
        /// 1 to 16 bytes, each with the number of these bytes (RFC 5652 §6.3).
        case pkcs7
        /// No padding: the encrypted part is a whole number of blocks.
        case none
    }

    /// The size of a block in bytes, for every key.
    static let blockSize = 16

    /// The mode.
    public var mode: Mode
    /// The source of the vector; unused for ECB.
    public var initialVector: InitialVector
    /// The number that is added to the vector for the first block of CTR.
    public var initialCounter: UInt64
    /// The padding of the last block of CBC and ECB.
    public var padding: Padding
    /// How many bytes at the start of the plain file are stored unencrypted.
    public var plainHeaderLength: Int64

    /// Creates a format.
    public init(
        _ mode: Mode,
        initialVector: InitialVector = .prefix,
        initialCounter: UInt64 = 0,
        padding: Padding = .pkcs7,
        plainHeaderLength: Int64 = 0
    ) {
        self.mode = mode
        self.initialVector = initialVector
        self.initialCounter = initialCounter
        self.padding = padding
        self.plainHeaderLength = plainHeaderLength
    }
}

extension AESFormat {
    /// Checks that the settings are consistent.
    func check(with key: AESKeySource) throws(CipherError) {
        guard (0...(1 << 40)).contains(self.plainHeaderLength) else {
            throw CipherError(
                .invalidSettings,
                "A plain header has a length from 0 to 1 TiB, not \(self.plainHeaderLength) bytes."
            )
        }
        if case .passphrase(_, let derivation, let keyLength) = key {
            guard [16, 24, 32].contains(keyLength) else {
                throw CipherError(
                    .invalidSettings,
                    "An AES key has 16, 24 or 32 bytes; \(keyLength) cannot be derived."
                )
            }
            guard self.initialVector == .fromKey || self.mode == .ecb else {
                throw CipherError(
                    .invalidSettings,
                    "A passphrase determines the initialization vector; do not give another one."
                )
            }
            if case .pbkdf2(let iterations, _) = derivation, !(1...100_000_000).contains(iterations)
            {
                throw CipherError(
                    .invalidSettings,
                    "PBKDF2 takes 1 to 100,000,000 iterations, not \(iterations)."
                )
            }
        }
        guard self.mode != .ecb else { return }
        switch self.initialVector {
        case .bytes(let bytes):
            guard bytes.count == 16 || self.mode == .ctr && (8...16).contains(bytes.count) else {
                throw CipherError(
                    .invalidSettings,
                    "An initialization vector has 16 bytes (8 to 16 for CTR), and this one has \(bytes.count); check it."
                )
            }
        case .prefix: break
        case .fromKey:
            if case .key = key {
                throw CipherError(
                    .invalidSettings,
                    "A key has no initialization vector; give one, or say that it is the first 16 bytes."
                )
            }
        }
    }

    /// The positions of a file's blocks.
    ///
    /// - Parameters:
    ///   - prefix: the number of stored bytes that are not part of the plain file.
    ///   - storedLength: the length of the stored file, if known.
    ///   - paddingLength: the bytes of padding in the last block; 0 if there are none.
    /// - Returns: the layout; without an end if the length is unknown.
    /// - Throws: ``CipherError`` with `damaged` for a length that no such file has.
    func layout(
        prefix: Int64,
        storedLength: Int64?,
        paddingLength: Int64
    ) throws(CipherError) -> StoredLayout {
        let size = Int64(Self.blockSize)
        var layout = StoredLayout(
            prefix: prefix,
            clear: self.plainHeaderLength,
            plainUnit: size,
            storedUnit: size,
            lookBehind: self.mode == .cbc ? size : 0,
            isLastSpecial: self.isPadded
        )
        guard let storedLength else { return layout }
        guard storedLength >= prefix, storedLength - prefix >= paddingLength else {
            throw .cutOff
        }
        layout.storedLength = storedLength
        let payload = storedLength - layout.firstUnit
        if payload < 0 {
            // A file that is shorter than its plain header has no encrypted part.
            layout.clear = storedLength - prefix
        } else if self.mode != .ctr {
            guard payload.isMultiple(of: size) else { throw .cutOff }
            guard !self.isPadded || payload >= size else { throw .cutOff }
        }
        layout.plainLength = storedLength - prefix - paddingLength
        return layout
    }

    /// Whether the last block has padding whose length only decryption shows.
    var isPadded: Bool { self.mode != .ctr && self.padding == .pkcs7 }

    /// The cipher of a resource.
    ///
    /// - Parameters:
    ///   - material: the key, and the vector if it comes with the key.
    ///   - prefix: the first bytes of the file that are not part of the plain one.
    /// - Returns: the cipher that decrypts its blocks.
    /// - Throws: ``CipherError`` with `invalidSettings` if the vector should come with the key and does not.
    func cipher(_ material: KeyMaterial, prefix: [UInt8]) throws(CipherError) -> AESCipher {
        let key = material.key.symmetric
        switch self.mode {
        case .ecb: return .ecb(key, self.padding)
        case .cbc:
            return .cbc(key, initialVector: try self.vector(material, prefix), self.padding)
        case .ctr:
            let start = UInt128(bigEndianBytes: try self.vector(material, prefix))
            return .ctr(key, counter: start &+ UInt128(self.initialCounter))
        }
    }

    private func vector(_ material: KeyMaterial, _ prefix: [UInt8]) throws(CipherError) -> [UInt8] {
        switch self.initialVector {
        case .bytes(let bytes):
            return bytes + repeatElement(0, count: max(0, Self.blockSize - bytes.count))
        case .prefix: return prefix
        case .fromKey:
            guard let vector = material.initialVector, vector.count == Self.blockSize else {
                throw CipherError(
                    .invalidSettings,
                    "The key provider returned no initialization vector of 16 bytes; check the key provider."
                )
            }
            return vector
        }
    }

    /// Identifies the plain bytes that this format and key produce from a file.
    ///
    /// A keyed hash, which reveals nothing about the key.
    func fingerprint(_ material: KeyMaterial, prefix: [UInt8]) throws(CipherError) -> UInt64 {
        var text = "weir plain generation \(self.mode) \(self.padding) \(self.initialCounter)"
        text += " \(self.plainHeaderLength)"
        if self.mode != .ecb { text += " \(try self.vector(material, prefix))" }
        let code = HMAC<SHA256>.authenticationCode(
            for: Array(text.utf8),
            using: material.key.symmetric
        )
        return code.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self).littleEndian }
    }
}

/// The source of the 16 bytes that start CTR's counter, or that CBC combines with its first block.
public enum InitialVector: Hashable, Sendable {
    /// These bytes; fewer than 16 (the nonce of a counter) are followed by zeros.
    case bytes([UInt8])
    /// The first 16 bytes of the stored file, which are not part of the plain one.
    case prefix
    /// The vector comes with the key: derived from a passphrase, or from a key provider.
    case fromKey
}
