// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// PBKDF2 with HMAC (RFC 8018 §5.2), over any hash of `Crypto`.
///
/// Replaces functions that a platform's library lacks: PBKDF2 over MD5 in CommonCrypto, and the
/// single iteration of scrypt. For many iterations a library is several times faster.
enum PBKDF2 {
    /// Derives bytes.
    ///
    /// - Parameters:
    ///   - function: the hash of the HMAC.
    ///   - passphrase: any bytes.
    ///   - salt: any bytes.
    ///   - iterations: at least 1.
    ///   - count: the number of bytes; at most 2³² − 1 digests.
    /// - Returns: the key, `count` bytes.
    static func key<Function: HashFunction>(
        _ function: Function.Type,
        _ passphrase: UnsafeRawBufferPointer,
        salt: some Sequence<UInt8>,
        iterations: Int,
        count: Int
    ) -> SecretBytes {
        let keyed = HMAC<Function>(key: SymmetricKey(data: passphrase))
        var salted = keyed
        salted.update(data: Array(salt))
        let size = Function.Digest.byteCount
        return SecretBytes(count: count) { derived in
            // T(i) = U(1) ^ U(2) ^ …. U(1) is the HMAC of the salt and i; each further U is the
            // HMAC of the U before it.
            var last = [UInt8](repeating: 0, count: size)
            var sum = last
            for (index, start) in stride(from: 0, to: count, by: size).enumerated() {
                var first = salted
                withUnsafeBytes(of: UInt32(truncatingIfNeeded: index + 1).bigEndian) {
                    first.update(data: Array($0))
                }
                first.finalize().withUnsafeBytes { code in
                    last.withUnsafeMutableBytes { $0.copyMemory(from: code) }
                }
                sum = last
                for _ in 1..<iterations {
                    var next = keyed
                    next.update(data: last)
                    next.finalize().withUnsafeBytes { code in
                        last.withUnsafeMutableBytes { $0.copyMemory(from: code) }
                    }
                    for place in 0..<size { sum[place] ^= last[place] }
                }
                let part = min(size, count - start)
                UnsafeMutableRawBufferPointer(rebasing: derived[start..<(start + part)])
                    .copyBytes(from: sum[..<part])
            }
            last.withUnsafeMutableBytes { SecretBytes.wipe($0) }
            sum.withUnsafeMutableBytes { SecretBytes.wipe($0) }
        }
    }
}
