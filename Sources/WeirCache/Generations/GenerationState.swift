// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// The held and durable bytes of a generation, and when to make the rest durable.
///
/// Pure: the shell (``Generation``) writes, synchronizes and keeps the journal, and reports the
/// results to this machine. A written byte has three states: held, being saved (by a checkpoint),
/// durable (claimed by the journal). A byte that a journal claims is held. It is readable once its
/// piece has been compared with the checksum.
struct GenerationState: Sendable {
    /// When to start a checkpoint.
    enum CheckpointDemand: Hashable, Sendable {
        /// No checkpoint is needed, or one is scheduled.
        case none
        /// In ``GenerationState/checkpointDelay``, since these are the first unsaved bytes.
        case later
        /// Now, since ``GenerationState/checkpointSize`` unsaved bytes have gathered.
        case now
    }

    /// The content of a checkpoint.
    struct Batch: Hashable, Sendable {
        /// The bytes that the journal does not claim yet.
        var runs = RangeSet<Int64>()
        /// The bytes that the journal must no longer claim.
        var lost = RangeSet<Int64>()
        /// The length, if the journal does not have it yet.
        var length: Int64?
        /// Whether the user wants the resource kept, if the journal does not have that yet.
        var isPinned: Bool?
        /// The runs to claim: ``runs``, widened to whole pieces of blocks, or all held runs.
        var claims: [CheckedRun] = []
        /// Whether to rewrite the journal, because it has become much longer than necessary.
        var replacesJournal = false

        var isEmpty: Bool {
            self.runs.isEmpty && self.lost.isEmpty && self.length == nil && self.isPinned == nil
        }

        /// The records to write to the journal.
        var records: [JournalRecord] {
            var records: [JournalRecord] = []
            if let length { records.append(.length(length)) }
            if let isPinned { records.append(.pinned(isPinned)) }
            if !self.replacesJournal { records += self.lost.ranges.map(JournalRecord.lost) }
            return records + self.claims.map(JournalRecord.held)
        }
    }

    /// The number of unsaved bytes that starts a checkpoint at once: 32 MiB.
    ///
    /// After a kill, only these bytes and those written during a checkpoint are compared.
    static let checkpointSize: Int64 = 32 << 20
    /// How many bytes are written before the journal records them, although they may not be
    /// durable: 128 KiB.
    static let claimSize: Int64 = 128 << 10
    /// How long the first unsaved byte waits for a checkpoint.
    static let checkpointDelay = Duration.milliseconds(500)

    /// The description of the resource; stored, since every slice contains it.
    private(set) var description: ResourceDescription
    /// The held bytes.
    private(set) var held: RangeSet<Int64>
    /// The readable bytes: held, and written by this process or compared with their checksums.
    private(set) var checked: RangeSet<Int64> {
        didSet {
            self.lastReadableRun = nil
            self.revision &+= 1
        }
    }
    /// A number that grows when the held, compared or damaged bytes change.
    private(set) var revision: UInt64 = 0
    /// The bytes that were found damaged, and have not been written again since.
    private var damaged = RangeSet<Int64>()
    /// Whether a reader took a slice since the last use was noted.
    var isRead = false
    /// The run of ``checked`` of the last lookup: the next request is nearly always in the same
    /// run.
    private var lastReadableRun: Range<Int64>?
    /// The checksums of all held bytes.
    private(set) var checksums: BlockChecksums
    /// How many bytes are held.
    private(set) var heldCount: Int64
    /// The failure that has ended all writing, if any.
    private(set) var failure: CacheError?
    /// Whether there is a journal; without one, bytes are not made durable.
    private(set) var isPersistent: Bool
    /// Whether the generation was removed or superseded: its files are removed, or are about to be
    /// removed.
    private(set) var isGone = false
    /// Whether the cache was closed.
    private(set) var isClosed = false

    /// The bytes that are readable and not written to the file yet.
    var accepted = AcceptedBytes()
    /// Whether a thread writes the accepted bytes, or is about to.
    var isWriting = false
    /// Whether the accepted bytes will not be written, since a write has failed.
    var hasForgone = false
    /// How many accepted bytes will be written.
    var coming: Int64 { self.hasForgone ? 0 : self.accepted.count }
    /// The open file with those bytes that the journal does not claim yet.
    var unsavedFile: DataFile?
    private var unsaved = RangeSet<Int64>()
    private var unsavedLosses = RangeSet<Int64>()
    /// How many held bytes the journal does not claim.
    private(set) var unsavedCount: Int64 = 0
    /// The written bytes that no record names yet, including those of a running checkpoint.
    private var unclaimed = RangeSet<Int64>()
    /// The number of bytes in ``unclaimed``; stored, since counting many runs at each write would
    /// be slow.
    private var unclaimedCount: Int64 = 0
    private var isLengthUnsaved = false
    /// Whether the user wants the resource kept, whatever the limits are.
    private(set) var isPinned = false
    private var isPinUnsaved = false
    private var demanded = CheckpointDemand.none

    /// Creates the state of an empty generation.
    init(description: ResourceDescription, isPersistent: Bool) {
        self.description = description
        self.held = RangeSet()
        self.checked = RangeSet()
        self.checksums = BlockChecksums()
        self.heldCount = 0
        self.isPersistent = isPersistent
    }

    /// Creates the state that a journal describes.
    init(description: ResourceDescription, journal: Journal) {
        self.description = description
        self.held = journal.held
        self.checked = RangeSet()
        self.checksums = journal.checksums
        self.heldCount = journal.held.byteCount
        self.isPinned = journal.isPinned
        self.isPersistent = true
        self.unsaved = journal.provisional
        self.unsavedCount = journal.provisional.byteCount
    }

    /// The held bytes that the journal claims.
    var durable: RangeSet<Int64> {
        self.isPersistent ? self.held.subtracting(self.unsaved) : RangeSet()
    }

    /// The held, verified and damaged byte ranges.
    var pieces: CachedPieces {
        CachedPieces(held: self.held, verified: self.checked, damaged: self.damaged)
    }

    /// The readable run from an offset up to an end.
    mutating func readable(at offset: Int64, before end: Int64) -> Range<Int64>? {
        guard offset < end else { return nil }
        if let run = self.lastReadableRun, run.contains(offset) {
            return offset..<min(run.upperBound, end)
        }
        guard let run = self.checked.run(containing: offset) else { return nil }
        self.lastReadableRun = run
        return offset..<min(run.upperBound, end)
    }

    /// The piece that contains an offset, if it must be compared with its checksum before it is
    /// read.
    func uncheckedPiece(at offset: Int64) -> BlockPiece? {
        self.checked.contains(offset) ? nil : self.checksums.piece(at: offset)
    }

    /// The first held byte of a range that was not compared with its checksum.
    func firstUnchecked(in range: Range<Int64>) -> Int64? {
        var offset = range.lowerBound
        while offset < range.upperBound {
            if let run = self.checked.run(containing: offset) {
                offset = run.upperBound
            } else if self.held.contains(offset) {
                return offset
            } else {
                guard let hole = self.held.hole(containing: offset, before: range.upperBound) else {
                    return nil
                }
                offset = hole.upperBound
            }
        }
        return nil
    }

    /// The first part of a range that is not held yet.
    func nextMissing(in range: Range<Int64>) -> Range<Int64>? {
        guard let start = self.held.firstMissing(in: range) else { return nil }
        return self.held.hole(containing: start, before: range.upperBound)
            .map { $0.clamped(to: range) }
    }

    /// The first part of a range that is neither held nor accepted yet.
    func nextUnknown(in range: Range<Int64>) -> Range<Int64>? {
        var offset = range.lowerBound
        while let part = self.nextMissing(in: offset..<range.upperBound) {
            if self.accepted.isEmpty { return part }
            if let start = self.accepted.ranges.firstMissing(in: part) {
                return self.accepted.ranges.hole(containing: start, before: part.upperBound)
                    .map { $0.clamped(to: part) }
            }
            offset = part.upperBound
        }
        return nil
    }

    /// Adds bytes that were written to the file.
    ///
    /// - Parameters:
    ///   - range: bytes that were not held.
    ///   - pieces: the same bytes, by blocks.
    /// - Returns: `nil` after a failure: the content of the file is then unknown, and the bytes are
    ///   not held.
    mutating func wrote(_ range: Range<Int64>, _ pieces: [BlockPiece]) -> CheckpointDemand? {
        guard self.failure == nil else { return nil }
        self.held.insert(contentsOf: range)
        self.checked.insert(contentsOf: range)
        if !self.damaged.isEmpty { self.damaged.subtract(RangeSet(range)) }
        for piece in pieces { self.checksums.insert(piece) }
        let count = range.upperBound - range.lowerBound
        self.heldCount += count
        guard self.isPersistent, !self.isGone else { return CheckpointDemand.none }
        self.unsaved.insert(contentsOf: range)
        self.unsavedCount += count
        self.unclaimed.insert(contentsOf: range)
        self.unclaimedCount += count
        return self.demandCheckpoint()
    }

    /// Whether the journal is up to date and can still be written.
    var isSaved: Bool {
        self.isPersistent && self.failure == nil && self.unsavedCount == 0
            && self.unsavedLosses.isEmpty && !self.isLengthUnsaved && !self.isPinUnsaved
    }

    /// Whether to record written bytes in the journal now.
    var wantsClaims: Bool { self.unclaimedCount >= Self.claimSize }

    /// The records of written bytes that may not be durable yet.
    mutating func takeClaims() -> [JournalRecord] {
        guard self.failure == nil, self.isPersistent, !self.isGone else { return [] }
        defer { self.setUnclaimed(RangeSet()) }
        return self.runs(in: self.widened(self.unclaimed)).map(JournalRecord.provisional)
    }

    /// Notes that the journal names the bytes of a checkpoint.
    ///
    /// A rewritten journal does not name the bytes that were written since the checkpoint began.
    mutating func finished(_ batch: Batch) {
        self.setUnclaimed(
            batch.replacesJournal ? self.unsaved : self.unclaimed.subtracting(batch.runs)
        )
    }

    private mutating func setUnclaimed(_ ranges: RangeSet<Int64>) {
        self.unclaimed = ranges
        self.unclaimedCount = ranges.byteCount
    }

    /// Widens ranges to whole pieces, since a piece has only one checksum.
    private func widened(_ ranges: RangeSet<Int64>) -> RangeSet<Int64> {
        var widened = RangeSet<Int64>()
        for run in ranges.ranges { widened.insert(contentsOf: self.checksums.widened(run)) }
        return widened
    }

    private func runs(in ranges: RangeSet<Int64>) -> [CheckedRun] {
        ranges.ranges.flatMap { self.checksums.runs(in: $0) }
    }

    /// Sets the length.
    ///
    /// - Returns: `nil` if the length contradicts the known facts.
    mutating func learned(length: Int64) -> CheckpointDemand? {
        if let known = self.description.length {
            return known == length ? CheckpointDemand.none : nil
        }
        guard ResourceLength.checked(length) != nil,
            (self.held.ranges.last?.upperBound ?? 0) <= length,
            (self.accepted.ranges.ranges.last?.upperBound ?? 0) <= length
        else { return nil }
        self.description.length = length
        guard self.isPersistent, !self.isGone else { return CheckpointDemand.none }
        self.isLengthUnsaved = true
        return self.demandCheckpoint()
    }

    /// Notes whether the user wants the resource kept.
    mutating func pinned(_ isPinned: Bool) {
        guard self.isPinned != isPinned else { return }
        self.isPinned = isPinned
        self.isPinUnsaved = self.isPersistent && !self.isGone
    }

    private mutating func demandCheckpoint() -> CheckpointDemand {
        guard self.failure == nil else { return .none }
        if self.unsavedCount >= Self.checkpointSize, self.demanded != .now {
            self.demanded = .now
            return .now
        }
        if self.demanded == .none {
            self.demanded = .later
            return .later
        }
        return .none
    }

    /// Marks all bytes as not compared, so that each is compared again before it is read.
    mutating func doubt() {
        self.checked = RangeSet()
    }

    /// Notes the result of comparing a piece with its checksum.
    ///
    /// - Returns: the bytes that are no longer held. Empty for a piece that has changed since:
    ///   compare it again.
    mutating func compared(_ piece: BlockPiece, isSound: Bool) -> RangeSet<Int64> {
        guard let known = self.checksums.piece(at: piece.range.lowerBound),
            known.range.lowerBound <= piece.range.lowerBound,
            known.range.upperBound >= piece.range.upperBound
        else { return RangeSet() }
        if isSound {
            self.checked.insert(contentsOf: piece.range)
            return RangeSet()
        }
        guard known == piece, !self.checked.contains(piece.range.lowerBound) else {
            return RangeSet()
        }
        return self.lose(RangeSet(piece.range))
    }

    /// Turns damaged bytes into a hole, which the next checkpoint writes to the journal.
    private mutating func lose(_ ranges: RangeSet<Int64>) -> RangeSet<Int64> {
        let lost = self.giveUp(ranges)
        self.damaged.formUnion(lost)
        guard self.isPersistent, !self.isGone else { return lost }
        self.unsavedLosses.formUnion(lost)
        return lost
    }

    /// Removes the pieces that some ranges touch.
    private mutating func giveUp(_ ranges: RangeSet<Int64>) -> RangeSet<Int64> {
        let lost = RangeSet(ranges.ranges.flatMap { self.checksums.remove($0) })
        self.held.subtract(lost)
        self.checked.subtract(lost)
        self.unsaved.subtract(lost)
        self.unsavedCount = self.unsaved.byteCount
        self.setUnclaimed(self.unclaimed.subtracting(lost))
        self.heldCount -= lost.byteCount
        return lost
    }

    /// Starts a checkpoint, which saves all unsaved changes.
    ///
    /// - Parameter recordCount: how many records the journal has. The journal is rewritten when it
    ///   would have more than 256 records plus four for each held run.
    /// - Returns: the changes to save; empty if there are none.
    mutating func startedCheckpoint(recordCount: Int = 0) -> Batch {
        self.demanded = .none
        guard self.isPersistent, !self.isGone else { return Batch() }
        var batch = Batch(
            runs: self.unsaved,
            lost: self.unsavedLosses,
            length: self.isLengthUnsaved ? self.description.length : nil,
            isPinned: self.isPinUnsaved ? self.isPinned : nil
        )
        guard !batch.isEmpty else { return batch }
        var widened = self.widened(batch.runs)
        let newCount = widened.ranges.count + batch.lost.ranges.count
        batch.replacesJournal = recordCount + newCount > 256 + 4 * self.held.ranges.count
        if batch.replacesJournal {
            widened = self.held
            batch.length = self.description.length
            batch.isPinned = self.isPinned
        }
        batch.claims = self.runs(in: widened)
        self.unsaved = RangeSet()
        self.unsavedLosses = RangeSet()
        self.unsavedCount = 0
        self.isLengthUnsaved = false
        self.isPinUnsaved = false
        return batch
    }

    /// The records of a journal that claims all held bytes, which must be durable.
    var records: [JournalRecord] {
        Batch(
            length: self.description.length,
            isPinned: self.isPinned,
            claims: self.runs(in: self.held),
            replacesJournal: true
        ).records
    }

    /// Notes that the data could not be made durable.
    ///
    /// The system may now return anything for the unsaved bytes. So these are no longer held, and
    /// neither are the bytes that share a piece of a block with them.
    /// - Returns: how many bytes were removed.
    mutating func lostData(of batch: Batch, _ error: CacheError) -> Int64 {
        self.failed(error)
        self.isLengthUnsaved = self.isLengthUnsaved || batch.length != nil
        self.isPinUnsaved = self.isPinUnsaved || batch.isPinned != nil
        self.unsavedLosses.formUnion(batch.lost)
        return self.giveUp(batch.runs.union(self.unsaved)).byteCount
    }

    /// Notes that the data is durable, but the journal could not be written: the claims stay
    /// unsaved.
    mutating func lostJournal(of batch: Batch, _ error: CacheError) {
        self.failed(error)
        self.unsaved.formUnion(batch.runs.intersection(self.held))
        self.unsavedLosses.formUnion(batch.lost)
        self.unsavedCount = self.unsaved.byteCount
        self.isLengthUnsaved = self.isLengthUnsaved || batch.length != nil
        self.isPinUnsaved = self.isPinUnsaved || batch.isPinned != nil
    }

    /// Notes a failed write; the cached bytes stay readable.
    mutating func failed(_ error: CacheError) {
        if self.failure == nil { self.failure = error }
    }

    /// Notes that no journal can be created: the cache removes the bytes when the last user leaves.
    mutating func lostPersistence(_ error: CacheError) {
        self.failed(error)
        self.isPersistent = false
        self.forgetUnsaved()
    }

    /// Notes that the generation was removed or superseded; readers and writers may finish.
    mutating func removed() {
        self.isGone = true
        self.forgetUnsaved()
    }

    private mutating func forgetUnsaved() {
        self.unsavedFile = nil
        self.unsaved = RangeSet()
        self.unsavedLosses = RangeSet()
        self.unsavedCount = 0
        self.setUnclaimed(RangeSet())
        self.isLengthUnsaved = false
        self.isPinUnsaved = false
    }

    /// Notes that the cache was closed; nothing more is written.
    mutating func closed() {
        self.isClosed = true
    }
}

extension RangeSet where Bound == Int64 {
    /// Removes every run of another set.
    mutating func subtract(_ other: RangeSet<Int64>) {
        for run in other.ranges { self.remove(contentsOf: run) }
    }
}
