// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import CryptoExtras
import Foundation

/// The block of AES: 16 bytes, whatever the key.
enum AESBlock {
    /// Bytes in a block.
    static let size = 16
    /// How many stored bytes are decrypted at a time: enough that a call's own cost does not show, and few enough to stay
    /// in the processor's cache.
    ///
    /// 64 KiB, and some more, so that as many bytes that start within a block are one run, too.
    static let largestRun = 80 * 1024

    /// A number as a block, its highest bits first.
    static func bytes(_ number: UInt128) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// A block as a number.
    static func number(_ bytes: some Sequence<UInt8>) -> UInt128 {
        bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }

    /// 16 bytes that nobody can foretell.
    static func random() -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return Self.bytes(UInt128.random(in: .min ... .max, using: &generator))
    }

    /// Bytes as the cryptographic library takes them, without a copy; not to be kept longer than they live.
    static func borrowed(_ bytes: UnsafeRawBufferPointer) -> Data {
        guard let start = bytes.baseAddress, !bytes.isEmpty else { return Data() }
        return Data(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: start),
            count: bytes.count,
            deallocator: .none
        )
    }

    /// The library refuses: only a key or a count of bytes that never get here.
    static let refusal = CipherError(
        .unsupported,
        "The cryptographic library refuses to decrypt these bytes; please report how you came to this."
    )
}

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
