// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import CryptoExtras
internal import Foundation

/// AES in counter mode (NIST SP 800-38A §6.5), at any block.
struct CTRCipher: UnitCipher {
    let key: SymmetricKey
    /// The counter of the first block: 128 bits that wrap.
    let counter: UInt128

    var largestRun: Int { AESBlock.largestRun }

    func decrypt(
        _ stored: UnsafeRawBufferPointer,
        from first: Int64,
        after before: UnsafeRawBufferPointer,
        isLast: Bool
    ) throws(CipherError) -> Data {
        let counter = AESBlock.bytes(self.counter &+ UInt128(truncatingIfNeeded: first))
        do {
            return try AES._CTR.decrypt(
                AESBlock.borrowed(stored),
                using: self.key,
                nonce: AES._CTR.Nonce(nonceBytes: counter)
            )
        } catch { throw AESBlock.refusal }
    }
}
