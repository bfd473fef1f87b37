// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

/// Writes what a request brings, and compares what it brings again.
///
/// Where a resource has no validator, the bytes around a hole are all that tells a continuation from another file
/// of the same length (law 2). Bytes that a run follows which is held are written only when the start of that run
/// has come out the same: no reader gets from one to the other before. It cannot see a change that leaves the
/// compared bytes as they were.
struct JoiningWriter {
    /// How many bytes of a run are compared.
    static let comparedCount: Int64 = 4096

    private let generation: Generation
    private let overlap: Int64
    /// What waits for the run behind it to be compared.
    private var pending: (offset: Int64, bytes: ByteMemory)?
    /// Up to where that is.
    private var comparedEnd: Int64 = 0
    /// Whether any of it was.
    private var hasCompared = false

    /// - Parameters:
    ///   - generation: what is written to.
    ///   - overlap: how many bytes of a run are compared before what precedes it is written; 0 where a validator
    ///     vouches for all of them, and nothing is compared.
    init(_ generation: Generation, overlap: Int64) {
        self.generation = generation
        self.overlap = overlap
    }

    /// Takes the next bytes of the request.
    ///
    /// - Returns: up to where everything that came can be read.
    /// - Throws: `SourceError` with `changed` at the first difference; `CacheError`.
    mutating func take(_ bytes: ByteMemory, at offset: Int64) throws -> Int64 {
        let end = offset + Int64(bytes.count)
        guard self.overlap > 0 else {
            try self.generation.write(bytes, at: offset)
            return end
        }
        // One look for all: what another fetch writes meanwhile is not written twice.
        let held = self.generation.held
        var position = offset
        while position < end {
            let lower = Int(position - offset)
            if let run = held.run(containing: position) {
                let upper = min(run.upperBound, end)
                let part = bytes[lower..<lower + Int(upper - position)]
                try Self.compare(part, at: position, self.generation)
                self.hasCompared = true
                position = upper
                if position >= min(self.comparedEnd, run.upperBound) { try self.writePending() }
            } else {
                try self.writePending()
                let upper = held.hole(containing: position, before: end)?.upperBound
                let part = bytes[lower..<lower + Int((upper ?? end) - position)]
                let partEnd = position + Int64(part.count)
                if self.generation.held.run(containing: partEnd) != nil {
                    self.pending = (position, part)
                    self.comparedEnd = partEnd + min(self.overlap, .max - partEnd)
                    self.hasCompared = false
                } else {
                    try self.generation.write(part, at: position)
                }
                position = partEnd
            }
        }
        return self.pending?.offset ?? end
    }

    /// The request has come to its end.
    ///
    /// What could not be compared, since the run behind it came meanwhile, is dropped: it is asked for again, with
    /// bytes of that run.
    ///
    /// - Returns: up to where more can be read now; `nil` if nothing waited.
    mutating func finish() throws -> Int64? {
        guard let pending, self.hasCompared else { return nil }
        try self.writePending()
        return pending.offset + Int64(pending.bytes.count)
    }

    private mutating func writePending() throws {
        guard let pending else { return }
        self.pending = nil
        try self.generation.write(pending.bytes, at: pending.offset)
    }

    /// Compares bytes of an answer with those that are held.
    ///
    /// - Throws: `SourceError` with `changed` at the first difference; `CacheError` if they cannot be read.
    static func compare(_ bytes: ByteMemory, at offset: Int64, _ generation: Generation) throws {
        let end = offset + Int64(bytes.count)
        var position = offset
        while position < end {
            // Where a block is damaged there is a hole now: nothing to compare with.
            guard let slice = try generation.checkedSlice(at: position, before: end) else {
                return
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
    }
}
