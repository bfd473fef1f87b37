// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirSource

/// The next bytes of a resident slice, as they are written: lent by the file where it has a descriptor, or else read
/// into memory.
struct ResidentPiece {
    /// The most bytes that are read into memory at a time.
    static let copySize: Int64 = 64 * 1024

    /// The bytes.
    let data: IOData
    /// Their place in the resource.
    let range: Range<Int64>
    /// What must be kept until they are written.
    let loan: FileLoan?

    /// Takes the first bytes of a slice.
    ///
    /// - Returns: `nil` if the file is shorter than it was, or its bytes cannot be had: the source knows what to do.
    init?(_ slice: ResidentSlice, upTo limit: Int64) {
        guard slice.file.descriptor == nil else {
            guard let loan = FileLoan(slice, upTo: limit) else { return nil }
            self.loan = loan
            self.data = .fileRegion(loan.region)
            self.range = loan.range
            return
        }
        let lower = slice.range.lowerBound
        let count = min(slice.range.upperBound - lower, limit, Self.copySize)
        var buffer = ByteBufferAllocator().buffer(capacity: Int(count))
        guard let read = buffer.appendStart(of: slice, upTo: count) else { return nil }
        self.loan = nil
        self.data = .byteBuffer(buffer)
        self.range = lower..<(lower + read)
    }
}

extension ByteBuffer {
    /// Reads the first bytes of a slice to the buffer's end, as many as its file gives at a time: what is decrypted ends
    /// where a chunk does, and is not decrypted twice.
    ///
    /// - Returns: how many; `nil` if there are none to be had.
    mutating func appendStart(of slice: ResidentSlice, upTo limit: Int64) -> Int64? {
        let count = Int(min(slice.range.upperBound - slice.range.lowerBound, limit))
        let read = try? self.writeWithUnsafeMutableBytes(minimumWritableBytes: count) { space in
            try slice.file.read(
                into: UnsafeMutableRawBufferPointer(rebasing: space.prefix(count)),
                at: slice.fileOffset
            )
        }
        guard let read, read > 0 else { return nil }
        return Int64(read)
    }

    /// Reads a slice to the buffer's end.
    ///
    /// - Returns: false if the file could not be read or is too short.
    mutating func append(_ slice: ResidentSlice) -> Bool {
        let wanted = Int(slice.range.upperBound - slice.range.lowerBound)
        let read = try? self.writeWithUnsafeMutableBytes(minimumWritableBytes: wanted) { space in
            try slice.load(into: space)
            return wanted
        }
        return read != nil
    }
}
