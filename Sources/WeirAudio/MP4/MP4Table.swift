// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A table of a box, kept as stored: rows of equal length, numbers with the most significant byte
/// first.
struct MP4Table: Sendable {
    /// A table without rows.
    static let empty = MP4Table()

    private let bytes: ByteMemory
    private let stride: Int
    /// How many rows there are.
    let count: Int

    private init() {
        self.bytes = .empty
        self.stride = 1
        self.count = 0
    }

    /// Copies a table out of a box, so that the rest of the box need not be kept.
    ///
    /// - Parameters:
    ///   - box: the box.
    ///   - start: the offset of the first row in the content.
    ///   - rows: how many rows the box states.
    ///   - stride: how many bytes a row has, from 1.
    /// - Throws: `malformed` if the box is too short for the rows.
    init(_ box: MP4Box, from start: Int, rows: UInt32, stride: Int) throws(AudioStreamError) {
        // A row has less than 2^16 bytes, so the product fits.
        let length = Int64(rows) * Int64(stride)
        guard start <= box.content.count, length <= Int64(box.content.count - start) else {
            throw box.fault("The table '\(box.type.text)' has more rows than bytes")
        }
        self.bytes = box.content[start..<start + Int(length)].copy
        self.stride = stride
        self.count = Int(rows)
    }

    /// Copies the table of a full box that starts with the number of its rows.
    ///
    /// - Parameters:
    ///   - box: version and flags, the number, the rows.
    ///   - stride: how many bytes a row has, from 1.
    /// - Throws: `malformed` if the box is too short.
    init(_ box: MP4Box, stride: Int) throws(AudioStreamError) {
        try box.require(8)
        try self.init(box, from: 8, rows: box.content.big(4), stride: stride)
    }

    /// A 32 bit number in a row.
    ///
    /// - Parameters:
    ///   - row: from 0.
    ///   - position: in bytes from the start of the row.
    /// - Returns: from 0.
    @inline(__always)
    func number(_ row: Int, _ position: Int = 0) -> Int {
        self.bytes.withView { Int($0.big(row &* self.stride &+ position, UInt32.self)) }
    }

    /// The 64 bit number at the start of a row.
    func wide(_ row: Int) -> UInt64 {
        self.bytes.withView { $0.big(row &* self.stride, UInt64.self) }
    }

    /// The 16 bit number at the start of a row.
    func narrow(_ row: Int) -> Int {
        self.bytes.withView { Int($0.big(row &* self.stride, UInt16.self)) }
    }

    /// A byte, counted from the start of the table.
    func byte(_ index: Int) -> Int { Int(self.bytes[index]) }
}
