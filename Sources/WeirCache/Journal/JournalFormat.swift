// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirSource

/// The journal's bytes.
///
/// Numbers are little-endian. A journal is a prologue, a header and records, with nothing between:
///
/// ```
/// prologue, the same in every format version to come
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
///    5+m   4  CRC-32C of bytes 0 ..< 5+m, going on from the checksum that stands before the record
/// ```
///
/// | kind | payload |
/// |---|---|
/// | 1: a run is held | lower and upper bound, 8 bytes each; then for each 64 KiB block that the run touches the CRC-32C of its bytes there, 4 bytes |
/// | 2: the length is known now | length, 8 bytes |
/// | 3: bytes are lost | lower and upper bound, 8 bytes each |
/// | 4: the user wants it kept | 1 byte: 1, or 0 for no longer |
/// | 5: a run was written, and may not be on the disk | as of kind 1 |
///
/// Each record's checksum goes on from its predecessor's, and the first from the header's, which
/// names resource and generation: a record of another journal, or one left over from before a cut,
/// proves nothing here. The journal ends at the first record that is not whole, not sound or not
/// possible; what follows is ignored and cut off before the next record is written.
///
/// Where a run overlaps what was held, its checksums count, and a part of a block that had another and
/// sticks out is held no longer: a run is always written with the whole of the pieces at its ends. What is
/// lost takes with it the parts of its blocks that it touches.
///
/// A run of kind 5 counts where no later record says that it is lost and the data file has its bytes: they are compared
/// when the journal is read, piece by piece. An owner that ended well has claimed all of them by kind 1.
///
/// A reader skips kinds that it does not know, so that a kind which only adds needs no new version.
enum JournalFormat {
    /// The first eight bytes.
    static let magic = Array("WEIRJRNL".utf8)
    /// The version that this code writes, and the newest that it reads.
    static let version: UInt32 = 1
    /// Bytes of the prologue.
    static let prologueSize = 16
    /// Most bytes of a header or a payload.
    static let maximumPayload = 1 << 20
    /// Most bytes of a journal that are read; a journal that long holds over two million runs.
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
