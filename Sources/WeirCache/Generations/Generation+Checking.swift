// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

extension Generation {
    /// How far one call of ``checkedSlice(at:before:)`` looks ahead: 1 MiB.
    static let checkedAtOnce: Int64 = 1 << 20

    /// The bytes from an offset to an end, or to where the held bytes end, once they are known to be what was
    /// written.
    ///
    /// What an earlier process wrote is compared with its checksums, once, block by block. A part of a block that
    /// is not what it was, or cannot be read, is no longer held: it is a hole, to be fetched again. Blocks for as
    /// long as the disk takes to read what is compared: at most 1 MiB, so that the slice may be shorter than what is
    /// held.
    ///
    /// A file that was closed, since other files needed its descriptor, is opened again.
    ///
    /// - Returns: `nil` if the offset is not held, or no longer, or is not below `end`.
    /// - Throws: ``CacheError`` if the file cannot be opened: `exhausted` where there are no descriptors; `io` and
    ///   others where it is no longer what was written, and then the generation is no longer found.
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
        // A disk that fails costs a block a call, not all that lies ahead.
        self.check(offset..<limit, in: file, untilLoss: true)
        return withExtendedLifetime(file) { self.slice(at: offset, before: end) }
    }

    /// Compares the held bytes of a range with their checksums, where that was not done yet.
    ///
    /// - Parameters:
    ///   - range: where to look.
    ///   - file: the open file.
    ///   - untilLoss: whether to stop at the first that are not what they were.
    /// - Returns: how many bytes were compared, and how many are held no longer.
    @discardableResult
    func check(
        _ range: Range<Int64>,
        in file: DataFile,
        untilLoss: Bool = false
    ) -> (compared: Int64, lost: Int64) {
        var compared: Int64 = 0
        var lost: Int64 = 0
        var offset = range.lowerBound
        var space: UnsafeMutableRawBufferPointer?
        defer { space?.deallocate() }
        while let next = self.state.withLock({ $0.firstUnchecked(in: offset..<range.upperBound) }),
            let piece = self.state.withLock({ $0.uncheckedPiece(at: next) })
        {
            let buffer = space ?? .allocate(byteCount: Int(BlockPiece.blockSize), alignment: 64)
            space = buffer
            let isSound = file.checksum(of: piece.range, in: buffer) == piece.checksum
            let gone = self.state.withLock { $0.compared(piece, isSound: isSound) }
            compared += piece.range.upperBound - piece.range.lowerBound
            if !gone.isEmpty {
                lost += gone.byteCount
                self.cache?.lost(gone, of: self)
                if untilLoss { break }
            }
            // What grew meanwhile is looked at again; what is sound or gone lies behind.
            offset = next
        }
        return (compared, lost)
    }

    /// What came of a checkpoint: whether the journal says more than before; why it does not; and how many bytes are no
    /// longer held.
    typealias CheckpointOutcome = (hasSaved: Bool, failure: CacheError?, lostCount: Int64)

    /// Makes everything written so far durable.
    ///
    /// First the data, then the journal's claim, so that the journal never says more than the disk
    /// holds. What is written after the data began to be synchronized belongs to the next checkpoint. While
    /// ``saving`` is held only.
    ///
    /// - Parameters:
    ///   - disk: the file system.
    ///   - prepare: is called between the two, if there is something to claim.
    /// - Returns: what came of it.
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
                // An order is enough: the journal that claims the bytes is made durable after it, and they with it.
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

    /// Appends records to the journal and makes them durable; meanwhile it can be told of what is written.
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

    /// Tells the journal of what was written, though it may not be durable: after a kill, in which the system loses
    /// nothing, it is still held.
    ///
    /// Costs four system calls. That it cannot be told is no failure: the next checkpoint claims the same.
    ///
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

    /// Writes the journal anew, without the claims that it could not prove.
    ///
    /// Before the generation is used.
    ///
    /// - Returns: whether that worked.
    func rewriteJournal(_ disk: Disk) -> Bool {
        let (records, hasUnsaved) = self.state.withLock { ($0.records, $0.unsavedCount > 0) }
        do throws(CacheError) {
            // What was compared after a kill may lie in memory alone.
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
