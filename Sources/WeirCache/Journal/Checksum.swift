// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import CWeirCRC32C

/// CRC-32C (RFC 3720 appendix B.4) of bytes that come in pieces.
struct Checksum: Hashable, Sendable {
    /// The checksum of everything taken so far.
    private(set) var value: UInt32

    /// Starts from nothing, or goes on from an earlier checksum.
    init(_ value: UInt32 = 0) {
        self.value = value
    }

    /// Takes more bytes.
    mutating func take(_ bytes: UnsafeRawBufferPointer) {
        self.value = weir_crc32c(self.value, bytes.baseAddress, bytes.count)
    }

    /// The checksum of these bytes and of `count` bytes behind them that have the other checksum.
    func joined(with next: Checksum, count: Int64) -> Checksum {
        Checksum(weir_crc32c_joined(self.value, next.value, UInt64(clamping: count)))
    }

    /// The checksum with more bytes taken.
    func taking(_ bytes: some Collection<UInt8>) -> Checksum {
        var next = self
        let isTaken: Void? = bytes.withContiguousStorageIfAvailable { storage in
            next.take(UnsafeRawBufferPointer(storage))
        }
        if isTaken == nil { Array(bytes).withUnsafeBytes { next.take($0) } }
        return next
    }
}
