// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// How a file was encrypted with AES: everything but the key.
///
/// A stored file is, in this order: 16 bytes of the vector, if ``initialVector`` is ``InitialVector/prefix`` (or
/// `Salted__` and a salt, if the key is derived from a passphrase); ``plainHeaderLength`` bytes as they are in the
/// plain file; and the rest of the plain file, encrypted. None of it is authenticated: a person with write access
/// to the server can change what is played.
public struct AESFormat: Hashable, Sendable {
    /// The mode of operation (NIST SP 800-38A).
    public enum Mode: Hashable, Sendable {
        /// A counter of 128 bits, big-endian, one up for each block.
        case ctr
        /// Cipher block chaining.
        case cbc
        /// Every block by itself, which shows where blocks repeat.
        case ecb
    }

    /// How CBC and ECB fill up the last block; CTR has no need to.
    public enum Padding: Hashable, Sendable {
        /// 1 to 16 bytes, each of which says how many (RFC 5652 §6.3).
        case pkcs7
        /// Nothing: the encrypted part is a whole number of blocks.
        case none
    }

    /// Bytes in a block, whatever the key.
    static let blockSize = 16

    /// The mode.
    public var mode: Mode
    /// Where the vector comes from; of no meaning for ECB.
    public var initialVector: InitialVector
    /// What is added to the vector for the first block of CTR.
    public var initialCounter: UInt64
    /// How the last block of CBC and ECB is filled up.
    public var padding: Padding
    /// How many bytes at the start of the plain file are stored as they are.
    public var plainHeaderLength: Int64

    /// Describes a format.
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
    /// Looks whether the parts go together.
    func check(with key: AESKeySource) throws(CipherError) {
        guard (0...(1 << 40)).contains(self.plainHeaderLength) else {
            throw CipherError(
                .invalidSettings,
                "A plain header has 0 to 1 TiB, and \(self.plainHeaderLength) bytes were named."
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
                    "A passphrase brings its own initialization vector; leave the other one out."
                )
            }
            if case .pbkdf2(let iterations, _) = derivation, !(1...100_000_000).contains(iterations)
            {
                throw CipherError(
                    .invalidSettings,
                    "PBKDF2 takes 1 to 100,000,000 iterations, and \(iterations) were asked for."
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
                    "A key alone brings no initialization vector; name one, or say that it is the first 16 bytes."
                )
            }
        }
    }

    /// Where the blocks of a file lie.
    ///
    /// - Parameters:
    ///   - prefix: stored bytes that are no part of the plain file.
    ///   - storedLength: bytes of the file, if that is known.
    ///   - paddingLength: bytes that fill up the last block; 0 where there are none.
    /// - Returns: the layout; without an end while the length is not known.
    /// - Throws: ``CipherError`` with `damaged` for a length that no file can have.
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
            // A file that is shorter than its header has nothing that is encrypted.
            layout.clear = storedLength - prefix
        } else if self.mode != .ctr {
            guard payload.isMultiple(of: size) else { throw .cutOff }
            guard !self.isPadded || payload >= size else { throw .cutOff }
        }
        layout.plainLength = storedLength - prefix - paddingLength
        return layout
    }

    /// Whether the last block is filled up in a way that only shows when it is decrypted.
    var isPadded: Bool { self.mode != .ctr && self.padding == .pkcs7 }

    /// The cipher of a resource.
    ///
    /// - Parameters:
    ///   - material: the key, and the vector if it comes with the key.
    ///   - prefix: the first bytes of the file, as far as they are no part of the plain one.
    /// - Returns: what decrypts its blocks.
    /// - Throws: ``CipherError`` with `invalidSettings` for a key that should bring a vector and brings none.
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
                    "The initialization vector was to come with the key, and none of 16 bytes came; check the key provider."
                )
            }
            return vector
        }
    }

    /// What tells the plain bytes that this format and key make of a file from those that others make.
    ///
    /// A keyed hash, of which nothing of the key can be learnt.
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

/// Where the 16 bytes come from that CTR counts from, or that CBC joins to its first block.
public enum InitialVector: Hashable, Sendable {
    /// These bytes; fewer than 16 (the nonce of a counter) are filled up with zeros behind them.
    case bytes([UInt8])
    /// The first 16 bytes of the stored file, which are no part of the plain one.
    case prefix
    /// It comes with the key: derived from a passphrase, or told by a key provider.
    case fromKey
}
