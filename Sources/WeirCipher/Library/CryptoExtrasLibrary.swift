// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Crypto
import CryptoExtras
import Foundation

/// swift-crypto's `CryptoExtras`, over BoringSSL.
///
/// Apple platforms use CommonCrypto instead, so that applications there do not compile BoringSSL.
enum CryptoExtrasLibrary: CipherLibrary {
    /// A vector of zeros, which leaves the first block unchanged.
    private static let zeros = [UInt8](repeating: 0, count: AESFormat.blockSize)

    static func decrypt(
        _ stored: UnsafeRawBufferPointer,
        _ mode: AESMode,
        key: SymmetricKey
    ) throws(CipherError) -> Data {
        switch mode {
        case .counter(let counter):
            do {
                return try AES._CTR.decrypt(
                    Data(borrowing: stored),
                    using: key,
                    nonce: AES._CTR.Nonce(nonceBytes: counter)
                )
            } catch { throw .libraryRefusal }
        case .chained(let vector): return try Self.decryptChained(stored, key, vector)
        case .single:
            // The library's call for one block sets up the key each time. So this code uses the
            // library's call for CBC, which decrypts each block and then XORs it with the stored
            // block before it. A second XOR undoes the first. This is 40 to 80 times faster.
            var plain = try Self.decryptChained(stored, key, Self.zeros)
            Self.join(&plain, with: stored)
            return plain
        }
    }

    private static func decryptChained(
        _ stored: UnsafeRawBufferPointer,
        _ key: SymmetricKey,
        _ vector: [UInt8]
    ) throws(CipherError) -> Data {
        guard !stored.isEmpty else { return Data() }
        do {
            return try AES._CBC.decrypt(
                Data(borrowing: stored),
                using: key,
                iv: AES._CBC.IV(ivBytes: vector),
                noPadding: true
            )
        } catch { throw .libraryRefusal }
    }

    /// XORs every block except the first with the stored block before it.
    private static func join(_ plain: inout Data, with stored: UnsafeRawBufferPointer) {
        plain.withUnsafeMutableBytes { plain in
            for offset in stride(
                from: AESFormat.blockSize,
                to: plain.count,
                by: AESFormat.blockSize
            ) {
                let joined =
                    plain.loadUnaligned(fromByteOffset: offset, as: SIMD2<UInt64>.self)
                    ^ stored.loadUnaligned(
                        fromByteOffset: offset - AESFormat.blockSize,
                        as: SIMD2<UInt64>.self
                    )
                plain.storeBytes(of: joined, toByteOffset: offset, as: SIMD2<UInt64>.self)
            }
        }
    }

    static func encryptChained(
        _ plain: UnsafeRawBufferPointer,
        vector: [UInt8],
        key: SymmetricKey,
        isPadded: Bool
    ) throws(CipherError) -> Data {
        do {
            return try AES._CBC.encrypt(
                Data(borrowing: plain),
                using: key,
                iv: AES._CBC.IV(ivBytes: vector),
                noPadding: !isPadded
            )
        } catch { throw .libraryRefusal }
    }

    static func pbkdf2(
        _ passphrase: UnsafeRawBufferPointer,
        salt: [UInt8],
        _ digest: KeyDerivation.Digest,
        iterations: Int,
        count: Int
    ) throws(CipherError) -> SecretBytes {
        let function: KDF.Insecure.PBKDF2.HashFunction =
            switch digest {
            case .md5: .insecureMD5
            case .sha1: .insecureSHA1
            case .sha256: .sha256
            case .sha384: .sha384
            case .sha512: .sha512
            }
        do {
            let derived = try KDF.Insecure.PBKDF2.deriveKey(
                from: Data(borrowing: passphrase),
                salt: salt,
                using: function,
                outputByteCount: count,
                unsafeUncheckedRounds: iterations
            )
            return SecretBytes(derived)
        } catch { throw .libraryRefusal }
    }

    static func scrypt(
        _ passphrase: UnsafeRawBufferPointer,
        salt: [UInt8],
        _ cost: ScryptCost,
        count: Int
    ) throws(CipherError) -> SecretBytes? {
        do {
            let derived = try KDF.Scrypt.deriveKey(
                from: passphrase,
                salt: salt,
                outputByteCount: count,
                rounds: cost.rounds,
                blockSize: cost.blockSize,
                parallelism: cost.parallelism
            )
            return SecretBytes(derived)
        } catch CryptoKitError.underlyingCoreCryptoError {
            // All numbers are valid, so the only possible reason is missing memory.
            return nil
        } catch { throw .libraryRefusal }
    }
}

extension SecretBytes {
    /// Copies a key derived by a library.
    fileprivate convenience init(_ key: SymmetricKey) {
        self.init(count: key.bitCount / 8) { bytes in
            key.withUnsafeBytes { bytes.copyMemory(from: $0) }
        }
    }
}
#endif
