// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import Foundation

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
