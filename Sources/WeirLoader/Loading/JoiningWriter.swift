// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirSource

/// Writes the bytes of a request, and compares those that are held already.
///
/// If a resource has no validator, only the bytes around a hole distinguish a continuation from
/// another file of the same length (law 2). If a held run follows new bytes, the new bytes are
/// written only after the start of that run has proved equal. Until then no reader can get from the
/// new bytes to the run. A change that leaves the compared bytes equal stays unnoticed.
struct JoiningWriter {
    /// The number of bytes of a run that are compared.
    static let comparedCount: Int64 = 4096

    private let generation: Generation
    private let overlap: Int64
    /// Bytes to write after the run behind them has been compared.
    private var pending: (offset: Int64, bytes: ByteMemory)?
    /// The offset at which that comparison ends.
    private var comparedEnd: Int64 = 0
    /// Whether bytes of that run have been compared.
    private var hasCompared = false
    /// Whether held bytes could not be read for a comparison, so that the response is not proved to continue them.
    private(set) var lacksComparison = false

    /// - Parameters:
    ///   - generation: the generation to write to.
    ///   - overlap: how many bytes of a run are compared before the bytes in front of it are
    ///     written. 0 if a validator makes the comparison unnecessary.
    init(_ generation: Generation, overlap: Int64) {
        self.generation = generation
        self.overlap = overlap
    }

    /// Takes the next bytes of the request.
    ///
    /// - Returns: the offset up to which all bytes of the request are readable.
    /// - Throws: `SourceError` with `changed` at the first difference; `CacheError`.
    mutating func take(_ bytes: ByteMemory, at offset: Int64) throws -> Int64 {
        let end = offset + Int64(bytes.count)
        guard self.overlap > 0 else {
            try self.generation.accept(bytes, at: offset)
            return end
        }
        // One snapshot serves all steps: `write` does not change bytes that another fetch has
        // written in the meantime.
        let held = self.generation.readable
        var position = offset
        while position < end {
            let lower = Int(position - offset)
            if let run = held.run(containing: position) {
                let upper = min(run.upperBound, end)
                let part = bytes[lower..<lower + Int(upper - position)]
                self.lacksComparison = true
                try Self.compare(part, at: position, self.generation)
                self.lacksComparison = false
                self.hasCompared = true
                position = upper
                if position >= min(self.comparedEnd, run.upperBound) { try self.writePending() }
            } else {
                try self.writePending()
                let upper = held.hole(containing: position, before: end)?.upperBound
                let part = bytes[lower..<lower + Int((upper ?? end) - position)]
                let partEnd = position + Int64(part.count)
                if self.generation.readable.run(containing: partEnd) != nil {
                    self.pending = (position, part)
                    self.comparedEnd = partEnd + min(self.overlap, .max - partEnd)
                    self.hasCompared = false
                } else {
                    try self.generation.accept(part, at: position)
                }
                position = partEnd
            }
        }
        return self.pending?.offset ?? end
    }

    /// Ends the request.
    ///
    /// If another fetch has written the run behind the waiting bytes in the meantime, the run was
    /// not compared. Then the waiting bytes are dropped, and fetched again together with bytes of
    /// that run.
    ///
    /// - Returns: the offset up to which bytes are now readable; `nil` if no bytes waited, or if
    ///   they were dropped.
    mutating func finish() throws -> Int64? {
        guard let pending, self.hasCompared else { return nil }
        try self.writePending()
        return pending.offset + Int64(pending.bytes.count)
    }

    private mutating func writePending() throws {
        guard let pending else { return }
        self.pending = nil
        try self.generation.accept(pending.bytes, at: pending.offset)
    }

    /// Compares bytes of a response with the held bytes.
    ///
    /// - Throws: `SourceError` with `changed` at the first difference; `CacheError` if the held
    ///   bytes cannot be read.
    static func compare(_ bytes: ByteMemory, at offset: Int64, _ generation: Generation) throws {
        let end = offset + Int64(bytes.count)
        var position = offset
        while position < end {
            // A damaged block is a hole now, so there is nothing to compare with.
            guard let chunk = try generation.checkedChunk(at: position, before: end) else {
                return
            }
            let held = try chunk.memory()
            let lower = Int(position - offset)
            let isSame = held.withUnsafeBytes { held in
                bytes[lower..<(lower + held.count)].withUnsafeBytes { $0.elementsEqual(held) }
            }
            guard isSame else {
                throw SourceError(
                    .changed,
                    "The resource changed at the origin while it was being read, although it names no version; play it again to get the new one.",
                    range: chunk.range
                )
            }
            position = chunk.range.upperBound
        }
    }
}
