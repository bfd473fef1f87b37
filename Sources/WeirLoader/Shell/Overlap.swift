// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

/// The bytes at the start of a continuation that are held already and must come out the same.
///
/// Where a resource has no validator, this is all that tells a continuation from another file of the
/// same length (law 2). It cannot see a change that leaves these bytes as they were.
struct Overlap {
    private let range: Range<Int64>

    init(from offset: Int64, count: Int64) {
        self.range = offset..<(offset + count)
    }

    /// Compares the part of a piece that lies in the overlap.
    ///
    /// - Returns: how many of the first bytes were compared and need not be written.
    /// - Throws: `SourceError` with `changed` at the first difference.
    func compare(_ bytes: ByteMemory, at offset: Int64, with generation: Generation) throws -> Int {
        let part = (offset..<(offset + Int64(bytes.count))).clamped(to: self.range)
        guard !part.isEmpty else { return 0 }
        var position = part.lowerBound
        while position < part.upperBound {
            guard let slice = generation.checkedSlice(at: position, before: part.upperBound) else {
                break
            }
            let held = try slice.load()
            let lower = Int(position - offset)
            let isSame = held.withUnsafeBytes { held in
                bytes[lower..<(lower + held.count)].withUnsafeBytes { $0.elementsEqual(held) }
            }
            guard isSame else {
                throw SourceError(
                    .changed,
                    "The resource changed at the origin while it was being read, although it names no version; play it again to get the new one.",
                    range: slice.range
                )
            }
            position = slice.range.upperBound
        }
        return Int(part.upperBound - offset)
    }
}
