// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirSource

/// The byte layout of a journal.
///
/// Numbers are little-endian. A journal is a prologue, a header and records, without gaps:
///
/// ```
/// prologue, the same in every later format version
///      0   8  magic: "WEIRJRNL"
///      8   4  format version
///     12   4  CRC-32C of bytes 0 ..< 12
/// header
///     16   4  n, at most 1 MiB
///     20   n  JournalHeader as JSON
///   20+n   4  CRC-32C of bytes 0 ..< 20+n
/// record, any number of them
///      0   1  kind
///      1   4  m, at most 1 MiB
///      5   m  payload
///    5+m   4  CRC-32C of bytes 0 ..< 5+m, continued from the checksum before the record
/// ```
///
/// | kind | payload |
/// |---|---|
/// | 1: a run is held | bounds, 8 bytes each; a CRC-32C for each 64 KiB block, 4 bytes |
/// | 2: the length is known now | length, 8 bytes |
/// | 3: bytes are lost | bounds, 8 bytes each |
/// | 4: whether the user wants the resource kept | 1 byte: 1 for yes, 0 for no |
/// | 5: a run was written, and may not be on the disk | like kind 1 |
///
/// Each record's checksum continues from the previous record's checksum, and the first one from the
/// header's. The header names resource and generation. So a record of another journal, or a
/// leftover of a cut record, is not valid. The journal ends at the first record that is incomplete,
/// unsound or impossible. The bytes after it are ignored, and cut off before the next record is
/// written.
///
/// If a run overlaps held bytes, the run's checksums replace the older ones. The part of an older
/// piece outside the run is then no longer held. Therefore a run is always written with the whole
/// pieces at its ends. A record of lost bytes removes every piece that these bytes touch.
///
/// A run of kind 5 counts if no later record says that it is lost, and if the data file has its
/// bytes. The bytes are compared with the checksums when the journal is read, piece by piece. An
/// owner that closed the cache has claimed all of them with kind 1.
///
/// A reader skips unknown kinds, so that a kind which only adds facts needs no new version.
enum JournalFormat {
    /// The first eight bytes.
    static let magic = Array("WEIRJRNL".utf8)
    /// The version that this code writes, and the newest that it reads.
    static let version: UInt32 = 1
    /// The size of the prologue in bytes.
    static let prologueSize = 16
    /// The maximum size of a header or a payload in bytes.
    static let maximumPayload = 1 << 20
    /// The maximum number of bytes that are read of a journal; they hold over two million runs.
    static let maximumSize: Int64 = 64 << 20

    /// Appends an integer in little-endian order.
    static func append<Value: FixedWidthInteger>(_ value: Value, to bytes: inout [UInt8]) {
        withUnsafeBytes(of: value.littleEndian) { bytes.append(contentsOf: $0) }
    }

    /// Reads an integer in little-endian order; `nil` past the end.
    static func integer<Value: FixedWidthInteger>(
        _ type: Value.Type = Value.self,
        in bytes: ArraySlice<UInt8>,
        at offset: Int
    ) -> Value? {
        let size = MemoryLayout<Value>.size
        guard offset >= bytes.startIndex, offset <= bytes.endIndex - size else { return nil }
        var value: Value = 0
        for index in (offset..<(offset + size)).reversed() {
            value = value << 8 | Value(truncatingIfNeeded: bytes[index])
        }
        return value
    }
}
