// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The functions that WeirCipher needs from a platform's cryptographic library.
///
/// The other functions (hashes, HMAC, ChaCha20-Poly1305, X25519) are in `Crypto`, which is CryptoKit on Apple
/// platforms. Callers check keys, vectors and counts first; an implementation throws only if its library refuses
/// them.
protocol CipherLibrary: Sendable {
    /// Decrypts AES; padding stays in the result.
    ///
    /// - Parameters:
    ///   - stored: any number of bytes in counter mode, whole blocks in the other modes.
    ///   - mode: the mode, with its first block.
    ///   - key: 16, 24 or 32 bytes.
    /// - Returns: the same number of bytes.
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
    ///   - isPadded: whether padding fills the last block, or is a block of its own (RFC 5652 §6.3).
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
    ///   - count: the number of bytes to derive, at least 1.
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
    ///   - cost: the cost parameters.
    ///   - count: the number of bytes to derive, at least 1.
    /// - Returns: the bytes; `nil` if the memory is not available.
    /// - Throws: ``CipherError/libraryRefusal``.
    static func scrypt(
        _ passphrase: UnsafeRawBufferPointer,
        salt: [UInt8],
        _ cost: ScryptCost,
        count: Int
    ) throws(CipherError) -> SecretBytes?
}

/// A mode of AES (NIST SP 800-38A), with its first block.
enum AESMode {
    /// Counter mode, with the counter of the first block: 16 bytes, big-endian; it wraps.
    case counter([UInt8])
    /// Chained blocks, with a vector of 16 bytes.
    case chained([UInt8])
    /// Independent blocks.
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
    /// The error if the cryptographic library refuses a key or a count, which callers have already checked.
    static let libraryRefusal = CipherError(
        .unsupported,
        "The cryptographic library refuses to decrypt these bytes; please report how this happened."
    )
}
