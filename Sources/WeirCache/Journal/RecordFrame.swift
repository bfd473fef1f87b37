// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A record as it lies in the file: whole and sound, not yet understood.
struct RecordFrame {
    let kind: UInt8
    let payload: ArraySlice<UInt8>
    /// Where the next record starts.
    let end: Int
    /// The record's own checksum.
    let checksum: Checksum

    /// Finds the record at an offset.
    ///
    /// - Returns: `nil` where the bytes end, or hold no sound record that follows the checksum.
    init?(_ bytes: ArraySlice<UInt8>, at offset: Int, after checksum: Checksum) {
        guard let kind = JournalFormat.integer(UInt8.self, in: bytes, at: offset),
            let size = JournalFormat.integer(UInt32.self, in: bytes, at: offset + 1),
            size <= JournalFormat.maximumPayload
        else { return nil }
        let payloadEnd = offset + 5 + Int(size)
        guard let sum = JournalFormat.integer(UInt32.self, in: bytes, at: payloadEnd) else {
            return nil
        }
        let own = checksum.taking(bytes[offset..<payloadEnd])
        guard own.value == sum else { return nil }
        self.kind = kind
        self.payload = bytes[(offset + 5)..<payloadEnd]
        self.end = payloadEnd + 4
        self.checksum = own
    }
}
