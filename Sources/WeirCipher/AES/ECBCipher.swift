// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Crypto
internal import CryptoExtras
internal import Foundation

/// AES, block by block (NIST SP 800-38A §6.1).
///
/// The library's call for one block sets the key up each time. Its call for chained blocks decrypts each block, too, and
/// then joins it with the one before: joined with that once more, the block is what it was, 40 to 80 times faster.
struct ECBCipher: UnitCipher {
    let key: SymmetricKey
    let padding: AESFormat.Padding
    /// A vector that joins nothing to the first block.
    private static let zeros = [UInt8](repeating: 0, count: AESBlock.size)

    var largestRun: Int { AESBlock.largestRun }
    var allowsNoUnit: Bool { self.padding == .none }

    func decrypt(
        _ stored: UnsafeRawBufferPointer,
        from first: Int64,
        after before: UnsafeRawBufferPointer,
        isLast: Bool
    ) throws(CipherError) -> Data {
        guard stored.count.isMultiple(of: AESBlock.size) else { throw AESPadding.partialBlock }
        var plain: Data
        do {
            plain = try AES._CBC.decrypt(
                AESBlock.borrowed(stored),
                using: self.key,
                iv: AES._CBC.IV(ivBytes: Self.zeros),
                noPadding: true
            )
        } catch { throw AESBlock.refusal }
        plain.withUnsafeMutableBytes { plain in
            for place in stride(from: AESBlock.size, to: plain.count, by: AESBlock.size) {
                let joined =
                    plain.loadUnaligned(fromByteOffset: place, as: SIMD2<UInt64>.self)
                    ^ stored.loadUnaligned(
                        fromByteOffset: place - AESBlock.size,
                        as: SIMD2<UInt64>.self
                    )
                plain.storeBytes(of: joined, toByteOffset: place, as: SIMD2<UInt64>.self)
            }
        }
        return plain
    }

    func plainCount(ofLast plain: Data) throws(CipherError) -> Int {
        try AESPadding.plainCount(plain, self.padding)
    }
}
