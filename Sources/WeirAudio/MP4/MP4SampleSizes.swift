// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The sizes of the samples of a track (ISO 14496-12 §8.7.3).
///
///     stsz   version and flags (32), size of all or 0 (32), count (32), count × size (32)
///     stz2   version and flags (32), 0 (24), bits of a size (8), count (32),
///            count × size (4, 8 or 16)
struct MP4SampleSizes: Sendable {
    /// No samples.
    static let none = MP4SampleSizes()

    /// How many samples there are.
    let count: Int
    /// The size of each sample, if all samples have the same size.
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
    /// - Throws: `malformed` if the box is too short.
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
    /// - Throws: `malformed` if the box is too short, or its sizes do not have 4, 8 or 16 bits.
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

    /// How many bytes a range of samples has in total.
    ///
    /// - Parameter samples: numbers from 0.
    /// - Returns: the sum; `Int64.max` if it does not fit.
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
