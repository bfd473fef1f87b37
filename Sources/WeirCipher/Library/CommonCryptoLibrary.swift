// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(CommonCrypto)
import CommonCrypto
import Crypto
import Foundation

/// CommonCrypto, which is on every Apple platform.
///
/// It has no PBKDF2 over MD5 and no scrypt; ``PBKDF2`` and ``Scrypt`` replace them.
enum CommonCryptoLibrary: CipherLibrary {
    static func decrypt(
        _ stored: UnsafeRawBufferPointer,
        _ mode: AESMode,
        key: SymmetricKey
    ) throws(CipherError) -> Data {
        switch mode {
        // In counter mode, encryption and decryption are the same.
        case .counter(let counter):
            try Self.run(kCCEncrypt, kCCModeCTR, counter, key, stored)
        case .chained(let vector):
            try Self.run(kCCDecrypt, kCCModeCBC, vector, key, stored)
        case .single: try Self.run(kCCDecrypt, kCCModeECB, nil, key, stored)
        }
    }

    static func encryptChained(
        _ plain: UnsafeRawBufferPointer,
        vector: [UInt8],
        key: SymmetricKey,
        isPadded: Bool
    ) throws(CipherError) -> Data {
        try Self.run(kCCEncrypt, kCCModeCBC, vector, key, plain, isPadded: isPadded)
    }

    /// Creates a cryptor, runs it over all bytes, and releases it.
    private static func run(
        _ operation: Int,
        _ mode: Int,
        _ vector: [UInt8]?,
        _ key: SymmetricKey,
        _ input: UnsafeRawBufferPointer,
        isPadded: Bool = false
    ) throws(CipherError) -> Data {
        guard isPadded || !input.isEmpty else { return Data() }
        var made: CCCryptorRef?
        var status = key.withUnsafeBytes { key in
            CCCryptorCreateWithMode(
                CCOperation(operation),
                CCMode(mode),
                CCAlgorithm(kCCAlgorithmAES),
                CCPadding(isPadded ? ccPKCS7Padding : ccNoPadding),
                vector,
                key.baseAddress,
                key.count,
                nil,
                0,
                0,
                CCModeOptions(mode == kCCModeCTR ? kCCModeOptionCTR_BE : 0),
                &made
            )
        }
        guard status == kCCSuccess, let cryptor = made else { throw .libraryRefusal }
        defer { _ = CCCryptorRelease(cryptor) }
        let count =
            isPadded
            ? (input.count / AESFormat.blockSize + 1) * AESFormat.blockSize : input.count
        var output = Data(count: count)
        var moved = 0
        var last = 0
        output.withUnsafeMutableBytes { output in
            if !input.isEmpty {
                status = CCCryptorUpdate(
                    cryptor,
                    input.baseAddress,
                    input.count,
                    output.baseAddress,
                    output.count,
                    &moved
                )
            }
            // Without padding CCCryptorFinal has no output.
            guard isPadded, status == kCCSuccess, moved <= output.count else { return }
            let rest = UnsafeMutableRawBufferPointer(rebasing: output[moved...])
            status = CCCryptorFinal(cryptor, rest.baseAddress, rest.count, &last)
        }
        guard status == kCCSuccess, moved + last == count else { throw .libraryRefusal }
        return output
    }

    static func pbkdf2(
        _ passphrase: UnsafeRawBufferPointer,
        salt: [UInt8],
        _ digest: KeyDerivation.Digest,
        iterations: Int,
        count: Int
    ) throws(CipherError) -> SecretBytes {
        let function: Int
        switch digest {
        case .md5:
            return PBKDF2.key(
                Insecure.MD5.self,
                passphrase,
                salt: salt,
                iterations: iterations,
                count: count
            )
        case .sha1: function = kCCPRFHmacAlgSHA1
        case .sha256: function = kCCPRFHmacAlgSHA256
        case .sha384: function = kCCPRFHmacAlgSHA384
        case .sha512: function = kCCPRFHmacAlgSHA512
        }
        guard let rounds = UInt32(exactly: iterations), rounds > 0, count > 0 else {
            throw .libraryRefusal
        }
        var status: Int32 = 0
        // The address of an empty buffer may be null, which the function does not accept for a passphrase.
        let nothing: [CChar] = [0]
        let derived = SecretBytes(count: count) { derived in
            nothing.withUnsafeBufferPointer { nothing in
                let text = passphrase.assumingMemoryBound(to: CChar.self).baseAddress
                status = CCKeyDerivationPBKDF(
                    CCPBKDFAlgorithm(kCCPBKDF2),
                    text ?? nothing.baseAddress,
                    passphrase.count,
                    salt,
                    salt.count,
                    CCPseudoRandomAlgorithm(function),
                    rounds,
                    derived.assumingMemoryBound(to: UInt8.self).baseAddress,
                    derived.count
                )
            }
        }
        guard status == kCCSuccess else { throw .libraryRefusal }
        return derived
    }

    static func scrypt(
        _ passphrase: UnsafeRawBufferPointer,
        salt: [UInt8],
        _ cost: ScryptCost,
        count: Int
    ) throws(CipherError) -> SecretBytes? {
        Scrypt(cost).key(passphrase, salt: salt, count: count)
    }
}
#endif
