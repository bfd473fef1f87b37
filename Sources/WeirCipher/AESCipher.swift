// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Crypto
import Foundation

/// Decrypts AES, starting at any block.
enum AESCipher: UnitCipher {
    /// Counter mode (NIST SP 800-38A §6.5), with the 128-bit counter of the first block, which wraps.
    case ctr(SymmetricKey, counter: UInt128)
    /// Chained blocks (NIST SP 800-38A §6.2), with an initialization vector of 16 bytes.
    case cbc(SymmetricKey, initialVector: [UInt8], AESFormat.Padding)
    /// Independent blocks (NIST SP 800-38A §6.1).
    case ecb(SymmetricKey, AESFormat.Padding)

    /// How many stored bytes are decrypted at once.
    ///
    /// Enough to make the cost of a call negligible, and few enough for the processor's cache. It exceeds 64 KiB,
    /// so that 64 KiB that start within a block are still one run.
    var largestRun: Int { 80 * 1024 }

    var allowsNoUnit: Bool { self.padding == .none }

    private var padding: AESFormat.Padding {
        switch self {
        case .ctr: .none
        case .cbc(_, _, let padding), .ecb(_, let padding): padding
        }
    }

    func decrypt(
        _ stored: UnsafeRawBufferPointer,
        from first: Int64,
        after before: UnsafeRawBufferPointer,
        isLast: Bool
    ) throws(CipherError) -> Data {
        switch self {
        case .ctr(let key, let counter):
            let counter = (counter &+ UInt128(truncatingIfNeeded: first)).bigEndianBytes
            return try SystemCipherLibrary.decrypt(stored, .counter(counter), key: key)
        case .cbc(let key, let initialVector, _):
            try Self.checkWhole(stored)
            let vector = first == 0 ? initialVector : Array(before)
            return try SystemCipherLibrary.decrypt(stored, .chained(vector), key: key)
        case .ecb(let key, _):
            try Self.checkWhole(stored)
            return try SystemCipherLibrary.decrypt(stored, .single, key: key)
        }
    }

    func plainCount(ofLast plain: Data) throws(CipherError) -> Int {
        try self.padding.plainCount(plain)
    }

    /// Checks that the bytes are whole blocks.
    private static func checkWhole(_ stored: UnsafeRawBufferPointer) throws(CipherError) {
        guard stored.count.isMultiple(of: AESFormat.blockSize) else {
            throw CipherError(
                .damaged,
                "The length of the encrypted part is not a multiple of 16 bytes: the file is cut off, or was encrypted in another way."
            )
        }
    }
}

extension AESFormat.Padding {
    /// How many bytes of the last units belong to the file.
    ///
    /// - Parameter plain: the last units, decrypted, with their padding.
    /// - Returns: the number of bytes without the padding.
    /// - Throws: ``CipherError`` with `wrongKey` if the last bytes are not valid padding, which reveals 255 of 256
    ///   wrong keys.
    func plainCount(_ plain: Data) throws(CipherError) -> Int {
        guard self == .pkcs7 else { return plain.count }
        guard let last = plain.last, (1...16).contains(last), plain.count >= Int(last),
            plain.suffix(Int(last)).allSatisfy({ $0 == last })
        else {
            throw CipherError(
                .wrongKey,
                "The key or the initialization vector is wrong, or the file is damaged, cut off, or without padding,"
                    + " because its last block has no valid padding; check the key first."
            )
        }
        return plain.count - Int(last)
    }
}

extension UInt128 {
    /// The number as a block of AES, big-endian.
    var bigEndianBytes: [UInt8] { withUnsafeBytes(of: self.bigEndian) { Array($0) } }

    /// Reads a block of AES as a number, big-endian.
    init(bigEndianBytes bytes: some Sequence<UInt8>) {
        self = bytes.reduce(0) { $0 << 8 | UInt128($1) }
    }
}

extension [UInt8] {
    /// Unpredictable bytes from the system's generator.
    static func random(count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

extension Data {
    /// Refers to bytes for the cryptographic library without a copy; must not outlive the bytes.
    init(borrowing bytes: UnsafeRawBufferPointer) {
        guard let start = bytes.baseAddress, !bytes.isEmpty else {
            self.init()
            return
        }
        self.init(
            bytesNoCopy: UnsafeMutableRawPointer(mutating: start),
            count: bytes.count,
            deallocator: .none
        )
    }
}
