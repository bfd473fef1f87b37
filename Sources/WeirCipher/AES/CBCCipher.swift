// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import CryptoExtras
internal import Foundation

/// AES with chained blocks (NIST SP 800-38A §6.2), at any block whose predecessor is at hand.
struct CBCCipher: UnitCipher {
    let key: SymmetricKey
    /// 16 bytes.
    let initialVector: [UInt8]
    let padding: AESFormat.Padding

    var largestRun: Int { AESBlock.largestRun }
    var allowsNoUnit: Bool { self.padding == .none }

    func decrypt(
        _ stored: UnsafeRawBufferPointer,
        from first: Int64,
        after before: UnsafeRawBufferPointer,
        isLast: Bool
    ) throws(CipherError) -> Data {
        guard stored.count.isMultiple(of: AESBlock.size) else { throw AESPadding.partialBlock }
        let vector = first == 0 ? self.initialVector : Array(before)
        do {
            return try AES._CBC.decrypt(
                AESBlock.borrowed(stored),
                using: self.key,
                iv: AES._CBC.IV(ivBytes: vector),
                noPadding: true
            )
        } catch { throw AESBlock.refusal }
    }

    func plainCount(ofLast plain: Data) throws(CipherError) -> Int {
        try AESPadding.plainCount(plain, self.padding)
    }
}
