// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Delivered bytes for the player, not copied.
struct StubChunk: Sendable {
    /// The offset of the first byte in the resource.
    let offset: Int64
    /// The bytes.
    let data: Data
    /// The hash of the bytes at their delivery.
    let digest: UInt64

    init(offset: Int64, data: Data) {
        self.offset = offset
        self.data = data
        digest = Self.digest(data)
    }

    /// The offset behind the last byte.
    var end: Int64 { offset + Int64(data.count) }

    /// Whether the bytes are unchanged: they belong to the delegate until they are consumed.
    var isUnchanged: Bool { Self.digest(data) == digest }

    /// FNV-1a over words of eight bytes: enough to detect a buffer that was overwritten.
    private static func digest(_ data: Data) -> UInt64 {
        data.withUnsafeBytes { bytes in
            var hash: UInt64 = 0xcbf2_9ce4_8422_2325
            var index = 0
            while index + 8 <= bytes.count {
                hash =
                    (hash ^ bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
                    &* 0x100_0000_01b3
                index += 8
            }
            while index < bytes.count {
                hash = (hash ^ UInt64(bytes[index])) &* 0x100_0000_01b3
                index += 1
            }
            return hash
        }
    }
}
