// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// How a key and a vector are derived from a passphrase and the salt of a file.
///
/// The file starts with `Salted__`, as `openssl enc` writes it.
public enum KeyDerivation: Hashable, Sendable {
    /// A hash function.
    public enum Digest: String, Hashable, Sendable, CaseIterable {
        /// MD5, the default of OpenSSL before 1.1.0.
        case md5
        /// SHA-1, for files written with `-md sha1`.
        case sha1
        /// SHA-256, the default of OpenSSL since 1.1.0.
        case sha256
        /// SHA-384.
        case sha384
        /// SHA-512.
        case sha512
    }

    /// `-pbkdf2`: PBKDF2 with HMAC (RFC 8018 §5.2); 10,000 iterations unless `-iter` says otherwise.
    case pbkdf2(iterations: Int = 10_000, Digest = .sha256)
    /// Without `-pbkdf2`: one iteration of `EVP_BytesToKey`, which does not slow the guessing of passphrases.
    case bytesToKey(Digest = .sha256)
}

extension KeyDerivation {
    /// The size of the prefix of a file with a derived key: eight letters, and eight bytes of salt.
    static let prefixLength: Int64 = 16
    private static let magic = Array("Salted__".utf8)

    /// The error for a passphrase whose derived key does not fit.
    static let wrongPassphrase = CipherError(
        .wrongKey,
        "The passphrase is wrong, or its key is derived in another way (the digest -md of 'openssl enc', which is MD5"
            + " before OpenSSL 1.1.0; PBKDF2 or not; the number of rounds; the mode and the key's length), or the file"
            + " is damaged; check the passphrase first."
    )

    /// Derives the key and the vector; the publisher's choice of iterations decides the time.
    ///
    /// - Parameters:
    ///   - passphrase: any bytes.
    ///   - prefix: the first 16 bytes of the file.
    ///   - keyLength: the length of the key in bytes.
    /// - Returns: the key and the vector.
    /// - Throws: ``CipherError`` with `unsupported` if the file does not start with `Salted__` and a salt.
    func material(
        _ passphrase: SecretBytes,
        prefix: [UInt8],
        keyLength: Int
    ) throws(CipherError) -> KeyMaterial {
        guard prefix.count == Int(Self.prefixLength), prefix.starts(with: Self.magic) else {
            throw CipherError(
                .unsupported,
                "The file does not start with 'Salted__', so its key is not derived from a passphrase as by 'openssl"
                    + " enc'; give the key itself, or the right file."
            )
        }
        let salt = Array(prefix.dropFirst(Self.magic.count))
        let both = try self.bytes(passphrase, salt: salt, count: keyLength + AESFormat.blockSize)
        let vector = both.withUnsafeBytes { Array($0.suffix(AESFormat.blockSize)) }
        let key = SecretBytes(count: keyLength) { bytes in
            both.withUnsafeBytes {
                bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<keyLength]))
            }
        }
        return KeyMaterial(try CipherKey(key), initialVector: vector)
    }

    private func bytes(
        _ passphrase: SecretBytes,
        salt: [UInt8],
        count: Int
    ) throws(CipherError) -> SecretBytes {
        switch self {
        case .pbkdf2(let iterations, let digest):
            try passphrase.withUnsafeBytes { passphrase throws(CipherError) in
                try SystemCipherLibrary.pbkdf2(
                    passphrase,
                    salt: salt,
                    digest,
                    iterations: iterations,
                    count: count
                )
            }
        case .bytesToKey(let digest):
            switch digest {
            case .md5: Self.bytesToKey(Insecure.MD5.self, passphrase, salt, count)
            case .sha1: Self.bytesToKey(Insecure.SHA1.self, passphrase, salt, count)
            case .sha256: Self.bytesToKey(SHA256.self, passphrase, salt, count)
            case .sha384: Self.bytesToKey(SHA384.self, passphrase, salt, count)
            case .sha512: Self.bytesToKey(SHA512.self, passphrase, salt, count)
            }
        }
    }

    /// Hashes the previous digest, the passphrase and the salt, as often as needed; the result joins the digests.
    private static func bytesToKey<Function: HashFunction>(
        _ function: Function.Type,
        _ passphrase: SecretBytes,
        _ salt: [UInt8],
        _ count: Int
    ) -> SecretBytes {
        SecretBytes(count: count) { bytes in
            var done = 0
            var last: Function.Digest?
            while done < count {
                var hash = Function()
                last?.withUnsafeBytes { hash.update(bufferPointer: $0) }
                passphrase.withUnsafeBytes { hash.update(bufferPointer: $0) }
                hash.update(data: salt)
                let digest = hash.finalize()
                digest.withUnsafeBytes { digest in
                    let part = UnsafeRawBufferPointer(rebasing: digest.prefix(count - done))
                    UnsafeMutableRawBufferPointer(rebasing: bytes[done...]).copyMemory(from: part)
                    done += part.count
                }
                last = digest
            }
        }
    }
}
