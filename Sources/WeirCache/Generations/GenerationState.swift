// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// What a generation holds, what of it is durable, and when the rest is to be made so.
///
/// Pure: the shell (``Generation``) writes, synchronizes and keeps the journal, and tells this
/// machine what came of it. A byte that is written goes through three states: held, being saved (handed
/// to a checkpoint), durable (claimed by the journal). A byte that a journal claims is held, and readable
/// once its block has been compared with its checksum.
struct GenerationState: Sendable {
    /// When a checkpoint is wanted.
    enum CheckpointDemand: Hashable, Sendable {
        /// None, or one is on its way.
        case none
        /// In ``GenerationState/checkpointDelay``, since these are the first unsaved bytes.
        case later
        /// Now, since ``GenerationState/checkpointSize`` unsaved bytes have gathered.
        case now
    }

    /// What a checkpoint saves.
    struct Batch: Hashable, Sendable {
        /// The bytes that the journal does not claim yet.
        var runs = RangeSet<Int64>()
        /// The bytes that it must claim no longer.
        var lost = RangeSet<Int64>()
        /// The length to write down, if the journal does not say it yet.
        var length: Int64?
        /// Whether the user wants the resource kept, if the journal does not say it yet.
        var isPinned: Bool?
        /// The runs to claim: ``runs``, widened to the pieces of blocks that they are in, or everything.
        var claims: [CheckedRun] = []
        /// Whether the journal is to be written anew, since it has become much longer than what it says.
        var replacesJournal = false

        var isEmpty: Bool {
            self.runs.isEmpty && self.lost.isEmpty && self.length == nil && self.isPinned == nil
        }

        /// What the journal is told.
        var records: [JournalRecord] {
            var records: [JournalRecord] = []
            if let length { records.append(.length(length)) }
            if let isPinned { records.append(.pinned(isPinned)) }
            if !self.replacesJournal { records += self.lost.ranges.map(JournalRecord.lost) }
            return records + self.claims.map(JournalRecord.held)
        }
    }

    /// Unsaved bytes that start a checkpoint at once: 32 MiB.
    ///
    /// After a kill no more than these and what was written during a checkpoint is compared.
    static let checkpointSize: Int64 = 32 << 20
    /// Written bytes that the journal is told of at once, before they are durable: 128 KiB.
    static let claimSize: Int64 = 128 << 10
    /// How long the first unsaved byte waits for a checkpoint.
    static let checkpointDelay = Duration.milliseconds(500)

    /// What the resource is; made once for every change, since every slice carries it.
    private(set) var description: ResourceDescription
    /// The bytes that are there.
    private(set) var held: RangeSet<Int64>
    /// Those of them that can be read: written by this process, or compared with their checksums.
    private(set) var checked: RangeSet<Int64> {
        didSet {
            self.lastReadableRun = nil
            self.revision &+= 1
        }
    }
    /// A number that grows when what is held, compared or damaged changes.
    private(set) var revision: UInt64 = 0
    /// What was held and is not what was written, and has not been written again since.
    private var damaged = RangeSet<Int64>()
    /// Whether it was read without being opened since its last use was noted.
    var isRead = false
    /// The run of ``checked`` that was looked up last: nearly always the one of the next request, too.
    private var lastReadableRun: Range<Int64>?
    /// The checksums of everything that is held.
    private(set) var checksums: BlockChecksums
    /// How many bytes are held.
    private(set) var heldCount: Int64
    /// Why nothing more is written, if that is so.
    private(set) var failure: CacheError?
    /// Whether a journal is kept; what has none is not made durable.
    private(set) var isPersistent: Bool
    /// Whether the generation was removed or superseded: its files have no names any more.
    private(set) var isGone = false
    /// Whether the cache was closed.
    private(set) var isClosed = false

    /// The open file that the bytes were written to which the journal does not claim.
    var unsavedFile: DataFile?
    private var unsaved = RangeSet<Int64>()
    private var unsavedLosses = RangeSet<Int64>()
    /// How many bytes are held that the journal does not claim.
    private(set) var unsavedCount: Int64 = 0
    /// Written bytes that no record names yet, those of a checkpoint that is under way among them.
    private var unclaimed = RangeSet<Int64>()
    /// How many they are; kept, since to count many runs with each write would take long.
    private var unclaimedCount: Int64 = 0
    private var isLengthUnsaved = false
    /// Whether the user wants the resource kept, whatever the limits are.
    private(set) var isPinned = false
    private var isPinUnsaved = false
    private var demanded = CheckpointDemand.none

    /// A generation of which nothing is held.
    init(description: ResourceDescription, isPersistent: Bool) {
        self.description = description
        self.held = RangeSet()
        self.checked = RangeSet()
        self.checksums = BlockChecksums()
        self.heldCount = 0
        self.isPersistent = isPersistent
    }

    /// A generation as its journal tells it.
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

    /// What is held and claimed by the journal.
    var durable: RangeSet<Int64> {
        self.isPersistent ? self.held.subtracting(self.unsaved) : RangeSet()
    }

    /// What is held, byte by byte.
    var pieces: CachedPieces {
        CachedPieces(held: self.held, verified: self.checked, damaged: self.damaged)
    }

    /// The run that can be read from an offset, up to an end.
    mutating func readable(at offset: Int64, before end: Int64) -> Range<Int64>? {
        guard offset < end else { return nil }
        if let run = self.lastReadableRun, run.contains(offset) {
            return offset..<min(run.upperBound, end)
        }
        guard let run = self.checked.run(containing: offset) else { return nil }
        self.lastReadableRun = run
        return offset..<min(run.upperBound, end)
    }

    /// The piece that holds an offset, if it is to be compared with its checksum before it is read.
    func uncheckedPiece(at offset: Int64) -> BlockPiece? {
        self.checked.contains(offset) ? nil : self.checksums.piece(at: offset)
    }

    /// The first byte of a range that is held and was not compared with its checksum.
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

    /// Bytes lie in the file: they are held from now on.
    ///
    /// - Parameters:
    ///   - range: bytes that were not held.
    ///   - pieces: the same, by blocks.
    /// - Returns: `nil` if something failed meanwhile, so that it is unknown what the file holds there:
    ///   the bytes are not held.
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

    /// Whether the journal says all that is held, and can be told more.
    var isSaved: Bool {
        self.isPersistent && self.failure == nil && self.unsavedCount == 0
            && self.unsavedLosses.isEmpty && !self.isLengthUnsaved && !self.isPinUnsaved
    }

    /// Whether the journal is to be told of what was written.
    var wantsClaims: Bool { self.unclaimedCount >= Self.claimSize }

    /// What the journal is to be told of what was written and may not be durable.
    mutating func takeClaims() -> [JournalRecord] {
        guard self.failure == nil, self.isPersistent, !self.isGone else { return [] }
        defer { self.setUnclaimed(RangeSet()) }
        return self.runs(in: self.widened(self.unclaimed)).map(JournalRecord.provisional)
    }

    /// The journal names what a checkpoint has saved; one that was written anew names nothing else.
    mutating func finished(_ batch: Batch) {
        self.setUnclaimed(
            batch.replacesJournal ? self.unsaved : self.unclaimed.subtracting(batch.runs)
        )
    }

    private mutating func setUnclaimed(_ ranges: RangeSet<Int64>) {
        self.unclaimed = ranges
        self.unclaimedCount = ranges.byteCount
    }

    /// A piece of a block may be older than a part of it; it has one checksum.
    private func widened(_ ranges: RangeSet<Int64>) -> RangeSet<Int64> {
        var widened = RangeSet<Int64>()
        for run in ranges.ranges { widened.insert(contentsOf: self.checksums.widened(run)) }
        return widened
    }

    private func runs(in ranges: RangeSet<Int64>) -> [CheckedRun] {
        ranges.ranges.flatMap { self.checksums.runs(in: $0) }
    }

    /// The length was told.
    ///
    /// - Returns: `nil` if the length does not agree with what is known.
    mutating func learned(length: Int64) -> CheckpointDemand? {
        if let known = self.description.length {
            return known == length ? CheckpointDemand.none : nil
        }
        guard ResourceLength.checked(length) != nil,
            (self.held.ranges.last?.upperBound ?? 0) <= length
        else { return nil }
        self.description.length = length
        guard self.isPersistent, !self.isGone else { return CheckpointDemand.none }
        self.isLengthUnsaved = true
        return self.demandCheckpoint()
    }

    /// The user wants the resource kept, or no longer.
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

    /// What was compared before is to be compared again.
    mutating func doubt() {
        self.checked = RangeSet()
    }

    /// A piece was compared with its checksum.
    ///
    /// - Returns: which bytes are held no longer. Empty for a piece that has changed meanwhile: look again.
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

    /// Bytes are not what they were: they are a hole from now on, and the journal is to say so.
    private mutating func lose(_ ranges: RangeSet<Int64>) -> RangeSet<Int64> {
        let lost = self.giveUp(ranges)
        self.damaged.formUnion(lost)
        guard self.isPersistent, !self.isGone else { return lost }
        self.unsavedLosses.formUnion(lost)
        return lost
    }

    /// Takes the pieces away that some ranges touch.
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

    /// A checkpoint starts: it takes everything that is unsaved.
    ///
    /// - Parameter recordCount: how many records the journal has; it is written anew when it would have more
    ///   than four a run, and 256.
    /// - Returns: what it saves; empty if there is nothing.
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

    /// The records of a journal that says which bytes are held, all of which is durable.
    var records: [JournalRecord] {
        Batch(
            length: self.description.length,
            isPinned: self.isPinned,
            claims: self.runs(in: self.held),
            replacesJournal: true
        ).records
    }

    /// The data could not be made durable.
    ///
    /// What the system then shows of the bytes that were not saved may be anything, so they are no
    /// longer held, nor what shares a piece of a block with them.
    ///
    /// - Returns: how many bytes were given up.
    mutating func lostData(of batch: Batch, _ error: CacheError) -> Int64 {
        self.failed(error)
        self.isLengthUnsaved = self.isLengthUnsaved || batch.length != nil
        self.isPinUnsaved = self.isPinUnsaved || batch.isPinned != nil
        self.unsavedLosses.formUnion(batch.lost)
        return self.giveUp(batch.runs.union(self.unsaved)).byteCount
    }

    /// The data is durable, but the journal could not be written: the claims stay to be made.
    mutating func lostJournal(of batch: Batch, _ error: CacheError) {
        self.failed(error)
        self.unsaved.formUnion(batch.runs.intersection(self.held))
        self.unsavedLosses.formUnion(batch.lost)
        self.unsavedCount = self.unsaved.byteCount
        self.isLengthUnsaved = self.isLengthUnsaved || batch.length != nil
        self.isPinUnsaved = self.isPinUnsaved || batch.isPinned != nil
    }

    /// Something could not be written; the cached bytes stay readable.
    mutating func failed(_ error: CacheError) {
        if self.failure == nil { self.failure = error }
    }

    /// No journal can be made: the cached bytes go when the last user leaves.
    mutating func lostPersistence(_ error: CacheError) {
        self.failed(error)
        self.isPersistent = false
        self.forgetUnsaved()
    }

    /// The generation was removed or superseded; readers and writers may finish.
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

    /// The cache was closed; nothing is written any more.
    mutating func closed() {
        self.isClosed = true
    }
}

extension RangeSet where Bound == Int64 {
    /// Takes every run of another set away.
    mutating func subtract(_ other: RangeSet<Int64>) {
        for run in other.ranges { self.remove(contentsOf: run) }
    }
}
