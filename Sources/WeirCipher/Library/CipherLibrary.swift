// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What WeirCipher asks of a platform's cryptographic library.
///
/// Everything else that Weir needs (hashes, HMAC, ChaCha20-Poly1305, X25519) is in `Crypto`, which is CryptoKit on Apple
/// platforms. Callers check keys, vectors and counts before; an implementation throws only if its library refuses them.
protocol CipherLibrary: Sendable {
    /// Decrypts AES, without looking at any padding.
    ///
    /// - Parameters:
    ///   - stored: any number of bytes for a counter, whole blocks otherwise.
    ///   - mode: the mode, and what it starts with.
    ///   - key: 16, 24 or 32 bytes.
    /// - Returns: as many bytes.
    /// - Throws: ``CipherError/libraryRefusal``.
    static func decrypt(
        _ stored: UnsafeRawBufferPointer,
        _ mode: AESMode,
        key: SymmetricKey
    ) throws(CipherError) -> Data

    /// Encrypts AES in chained blocks.
    ///
    /// - Parameters:
    ///   - plain: whole blocks, or any number of bytes if they are padded.
    ///   - vector: 16 bytes.
    ///   - key: 16, 24 or 32 bytes.
    ///   - isPadded: whether a block, or the rest of one, is filled up at the end (RFC 5652 §6.3).
    /// - Returns: whole blocks.
    /// - Throws: ``CipherError/libraryRefusal``.
    static func encryptChained(
        _ plain: UnsafeRawBufferPointer,
        vector: [UInt8],
        key: SymmetricKey,
        isPadded: Bool
    ) throws(CipherError) -> Data

    /// PBKDF2 with HMAC (RFC 8018 §5.2).
    ///
    /// - Parameters:
    ///   - passphrase: any bytes.
    ///   - salt: any bytes.
    ///   - digest: the hash of the HMAC.
    ///   - iterations: 1 to 100,000,000.
    ///   - count: bytes to derive, at least 1.
    /// - Returns: the key, `count` bytes.
    /// - Throws: ``CipherError/libraryRefusal``.
    static func pbkdf2(
        _ passphrase: UnsafeRawBufferPointer,
        salt: [UInt8],
        _ digest: KeyDerivation.Digest,
        iterations: Int,
        count: Int
    ) throws(CipherError) -> SecretBytes

    /// scrypt (RFC 7914).
    ///
    /// - Parameters:
    ///   - passphrase: any bytes.
    ///   - salt: any bytes.
    ///   - cost: what it costs.
    ///   - count: bytes to derive, at least 1.
    /// - Returns: the bytes; `nil` if the memory is not available.
    /// - Throws: ``CipherError/libraryRefusal``.
    static func scrypt(
        _ passphrase: UnsafeRawBufferPointer,
        salt: [UInt8],
        _ cost: ScryptCost,
        count: Int
    ) throws(CipherError) -> SecretBytes?
}

/// A mode of AES (NIST SP 800-38A), and the block that it starts with.
enum AESMode {
    /// A counter: that of the first block, 16 bytes, big-endian; it wraps.
    case counter([UInt8])
    /// Chained blocks, with a vector of 16 bytes.
    case chained([UInt8])
    /// Block by block.
    case single
}

#if canImport(CommonCrypto)
/// The library of the platform.
typealias SystemCipherLibrary = CommonCryptoLibrary
#else
/// The library of the platform.
typealias SystemCipherLibrary = CryptoExtrasLibrary
#endif

extension CipherError {
    /// The cryptographic library refuses: only a key or a count of bytes that never get here.
    static let libraryRefusal = CipherError(
        .unsupported,
        "The cryptographic library refuses to decrypt these bytes; please report how you came to this."
    )
}
