// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

extension Generation {
    /// The largest number of bytes that one call of ``checkedSlice(at:before:)`` compares: 1 MiB.
    static let checkedAtOnce: Int64 = 1 << 20

    /// Returns the held bytes from an offset on, after comparing them with their checksums.
    ///
    /// The slice ends at `end` or where the held bytes end. Bytes of an earlier process are
    /// compared once, block by block. If a part of a block is damaged or cannot be read, it becomes
    /// a hole, to be fetched again. Waits for the disk while it compares at most 1 MiB; so the
    /// slice may be shorter than the held bytes.
    ///
    /// Opens the file again if it was closed because other files needed its descriptor.
    ///
    /// - Returns: `nil` if the offset is not held, if the comparison finds its byte damaged, or if
    ///   the offset is not below `end`.
    /// - Throws: ``CacheError`` if the file cannot be opened: `exhausted` if there are no
    ///   descriptors; `io` and others if the file has changed, and then lookups no longer find the
    ///   generation.
    package func checkedSlice(
        at offset: Int64,
        before end: Int64
    ) throws(CacheError) -> ResidentSlice? {
        guard 0 <= offset, offset < end, self.state.withLock({ $0.held.contains(offset) }) else {
            return nil
        }
        let file = try self.openedFile()
        let limit = min(end, offset.addingClamped(Self.checkedAtOnce))
        if self.file.takeDoubt() { self.state.withLock { $0.doubt() } }
        // Stop at the first damage: a failing disk then costs one block a call, not all blocks
        // ahead.
        self.check(offset..<limit, in: file, untilLoss: true)
        return withExtendedLifetime(file) { self.slice(at: offset, before: end) }
    }

    /// Returns the held bytes from an offset on: from memory while they are not written yet, else as
    /// ``checkedSlice(at:before:)`` does.
    ///
    /// - Returns: `nil` as ``checkedSlice(at:before:)`` does.
    /// - Throws: as ``checkedSlice(at:before:)``.
    package func checkedChunk(
        at offset: Int64,
        before end: Int64
    ) throws(CacheError) -> ByteChunk? {
        // Written bytes are in the file before they leave the memory.
        if let chunk = self.state.withLock({ $0.accepted.chunk(at: offset, before: end) }) {
            return chunk
        }
        return try self.checkedSlice(at: offset, before: end).map { ByteChunk($0) }
    }

    /// Compares the held bytes of a range with their checksums, except for those compared before.
    ///
    /// - Parameters:
    ///   - range: the byte range.
    ///   - file: the open file.
    ///   - untilLoss: whether to stop at the first damaged piece.
    /// - Returns: how many bytes were compared, and how many of them are no longer held.
    @discardableResult
    func check(
        _ range: Range<Int64>,
        in file: DataFile,
        untilLoss: Bool = false
    ) -> (compared: Int64, lost: Int64) {
        var compared: Int64 = 0
        var lost: Int64 = 0
        var offset = range.lowerBound
        let length = self.state.withLock { $0.description.length }
        var space: UnsafeMutableRawBufferPointer?
        defer { space?.deallocate() }
        while let next = self.state.withLock({ $0.firstUnchecked(in: offset..<range.upperBound) }),
            let piece = self.state.withLock({ $0.uncheckedPiece(at: next) })
        {
            let count = Int(piece.range.upperBound - piece.range.lowerBound)
            if space.map({ $0.count < count }) ?? true {
                space?.deallocate()
                space = .allocate(byteCount: count, alignment: 64)
            }
            let isSound = space.map { file.hasSound(piece, ofLength: length, in: $0) } ?? false
            let gone = self.state.withLock { $0.compared(piece, isSound: isSound) }
            compared += piece.range.upperBound - piece.range.lowerBound
            if !gone.isEmpty {
                lost += gone.byteCount
                self.cache?.lost(gone, of: self)
                if untilLoss { break }
            }
            // A piece that has grown in the meantime is compared again. Sound and lost pieces are
            // skipped.
            offset = next
        }
        return (compared, lost)
    }

    /// The result of a checkpoint.
    ///
    /// It says whether the journal lists more than before, the failure, and how many bytes are no
    /// longer held.
    typealias CheckpointOutcome = (hasSaved: Bool, failure: CacheError?, lostCount: Int64)

    /// Makes all bytes written so far durable; the caller holds ``saving``.
    ///
    /// Synchronizes the data first, then the journal's claims, so that the journal never claims
    /// more than the disk holds. Bytes written after the synchronization began belong to the next
    /// checkpoint.
    ///
    /// - Parameters:
    ///   - disk: the file system.
    ///   - prepare: called before the journal is written, if the checkpoint has anything to save.
    /// - Returns: the result.
    func saveUnsaved(_ disk: Disk, prepare: () -> Void) -> CheckpointOutcome {
        let recordCount = self.journal.withLock { $0?.recordCount ?? 0 }
        let (batch, file) = self.state.withLock { state in
            let batch = state.startedCheckpoint(recordCount: recordCount)
            defer { state.unsavedFile = nil }
            return (batch, state.unsavedFile)
        }
        guard !batch.isEmpty else { return (false, nil, 0) }
        if !batch.runs.isEmpty {
            do throws(CacheError) {
                // A write barrier is enough. The journal that claims the bytes is made durable
                // after it, which makes the bytes durable, too.
                if let file { try file.order() } else { try self.openedFile().order() }
            } catch {
                let lost = self.state.withLock { $0.lostData(of: batch, error) }
                return (false, error, lost)
            }
        }
        prepare()
        do throws(CacheError) {
            if batch.replacesJournal {
                try self.journal.withLock { journal throws(CacheError) in
                    try journal?.rewrite(batch.records, disk)
                    self.state.withLock { $0.finished(batch) }
                }
            } else {
                try self.append(batch.records, disk)
                self.state.withLock { $0.finished(batch) }
            }
            return (true, nil, 0)
        } catch {
            self.state.withLock { $0.lostJournal(of: batch, error) }
            return (false, error, 0)
        }
    }

    /// Appends records to the journal and makes them durable; writers can add claims in the
    /// meantime.
    private func append(_ records: [JournalRecord], _ disk: Disk) throws(CacheError) {
        let descriptor = try self.journal.withLock { journal throws(CacheError) in
            try journal?.append(records, disk)
        }
        guard let descriptor else { return }
        defer { disk.close(descriptor) }
        do throws(FileFailure) {
            try disk.synchronize(descriptor)
        } catch {
            throw CacheError("write the journal", path: self.file.path, failure: error)
        }
    }

    /// Records written bytes in the journal, although they may not be durable.
    ///
    /// After a kill, the system still has these bytes, so they are still held. Takes four system
    /// calls. A failure here does not matter, since the next checkpoint claims the same bytes.
    func claimWritten(_ disk: Disk) {
        self.journal.withLock { journal in
            guard journal?.isThere == true else { return }
            let records = self.state.withLock { $0.takeClaims() }
            guard !records.isEmpty,
                let descriptor = try? journal?.append(records, disk)
            else { return }
            disk.close(descriptor)
        }
    }

    /// Rewrites the journal without the claims that its reader could not prove.
    ///
    /// Must be called before the generation is used.
    ///
    /// - Returns: whether that succeeded.
    func rewriteJournal(_ disk: Disk) -> Bool {
        let (records, hasUnsaved) = self.state.withLock { ($0.records, $0.unsavedCount > 0) }
        do throws(CacheError) {
            // Bytes that were compared after a kill may be in memory only.
            if hasUnsaved { try self.file.opened().order() }
            try self.journal.withLock { journal throws(CacheError) in
                try journal?.rewrite(records, disk)
            }
            return true
        } catch {
            return false
        }
    }
}
