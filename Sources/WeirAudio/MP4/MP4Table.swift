// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// A table of a box, kept as it is stored: rows of the same length, numbers with the most significant byte first.
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

    /// Copies a table out of a box, so that nothing else of the file is kept.
    ///
    /// - Parameters:
    ///   - box: what it is in.
    ///   - start: where the first row is in the content.
    ///   - rows: how many rows the box says that there are.
    ///   - stride: how many bytes a row has, from 1.
    /// - Throws: `malformed` if the box has not as many.
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

    /// The number of 32 bits at a place of a row.
    ///
    /// - Parameters:
    ///   - row: from 0.
    ///   - position: in bytes from the front of the row.
    /// - Returns: from 0.
    @inline(__always)
    func number(_ row: Int, _ position: Int = 0) -> Int {
        self.bytes.withView { Int($0.big(row &* self.stride &+ position, UInt32.self)) }
    }

    /// The number of 64 bits that a row is, or starts with.
    func wide(_ row: Int) -> UInt64 {
        self.bytes.withView { $0.big(row &* self.stride, UInt64.self) }
    }

    /// The number of 16 bits that a row is, or starts with.
    func narrow(_ row: Int) -> Int {
        self.bytes.withView { Int($0.big(row &* self.stride, UInt16.self)) }
    }

    /// A byte, counted from the first of the table.
    func byte(_ index: Int) -> Int { Int(self.bytes[index]) }
}

/// The sizes of the samples of a track (ISO 14496-12 §8.7.3).
///
///     stsz   version and flags (32), size of all or 0 (32), count (32), count × size (32)
///     stz2   version and flags (32), 0 (24), bits of a size (8), count (32), count × size (4, 8 or 16)
struct MP4SampleSizes: Sendable {
    /// No samples.
    static let none = MP4SampleSizes()

    /// How many samples there are.
    let count: Int
    /// The size of each, if all have the same.
    var constant: Int?
    private let table: MP4Table
    private let bits: Int

    private init() {
        self.count = 0
        self.constant = nil
        self.table = .empty
        self.bits = 32
    }

    /// Reads a `stsz`.
    ///
    /// - Parameter box: the box.
    /// - Throws: `malformed` if it is too short.
    init(_ box: MP4Box) throws(AudioStreamError) {
        try box.require(12)
        let size = box.content.big(4, UInt32.self)
        let rows = box.content.big(8, UInt32.self)
        self.count = Int(rows)
        self.constant = size == 0 ? nil : Int(size)
        self.table = try size == 0 ? MP4Table(box, from: 12, rows: rows, stride: 4) : .empty
        self.bits = 32
    }

    /// Reads a `stz2`.
    ///
    /// - Parameter box: the box.
    /// - Throws: `malformed` if it is too short, or its sizes have another number of bits.
    init(compact box: MP4Box) throws(AudioStreamError) {
        try box.require(12)
        let bits = Int(box.content[7])
        guard bits == 4 || bits == 8 || bits == 16 else {
            throw box.fault("The sizes of the samples have \(bits) bits")
        }
        let rows = box.content.big(8, UInt32.self)
        self.count = Int(rows)
        self.constant = nil
        self.bits = bits
        let stored = bits == 4 ? rows / 2 + rows % 2 : rows
        self.table = try MP4Table(box, from: 12, rows: stored, stride: bits == 16 ? 2 : 1)
    }

    /// The size of a sample.
    ///
    /// - Parameter sample: from 0, less than ``count``.
    /// - Returns: bytes.
    @inline(__always)
    func size(_ sample: Int) -> Int {
        if let constant = self.constant { return constant }
        switch self.bits {
        case 32: return self.table.number(sample)
        case 16: return self.table.narrow(sample)
        case 8: return self.table.byte(sample)
        default:
            let pair = self.table.byte(sample >> 1)
            return sample & 1 == 0 ? pair >> 4 : pair & 0xF
        }
    }

    /// How many bytes some samples have together.
    ///
    /// - Parameter samples: numbers from 0.
    /// - Returns: the sum, which fits: at most 2^32 sizes of 32 bits.
    func total(_ samples: Range<Int>) -> Int64 {
        if let constant = self.constant {
            let (total, overflow) = Int64(constant).multipliedReportingOverflow(
                by: Int64(samples.count)
            )
            return overflow ? .max : total
        }
        var total: Int64 = 0
        for sample in samples { total &+= Int64(self.size(sample)) }
        return total
    }

    /// How many bytes all samples have.
    var total: Int64 { self.total(0..<self.count) }
}
