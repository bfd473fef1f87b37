// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// What a generation holds, what of it is durable, and when the rest is to be made so.
///
/// Pure: the shell (``Generation``) writes, synchronizes and keeps the journal, and tells this
/// machine what came of it. A byte goes through three states: held (readable), being saved (handed
/// to a checkpoint), durable (claimed by the journal).
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
        /// The runs to claim.
        var runs: RangeSet<Int64>
        /// The length to write down, if the journal does not say it yet.
        var length: Int64?

        var isEmpty: Bool { self.runs.isEmpty && self.length == nil }
    }

    /// Unsaved bytes that start a checkpoint at once: 4 MiB.
    static let checkpointSize: Int64 = 4 << 20
    /// How long the first unsaved byte waits for a checkpoint.
    static let checkpointDelay = Duration.milliseconds(500)

    /// What the resource is; made once for every change, since every slice carries it.
    private(set) var description: ResourceDescription
    /// The bytes that can be read.
    private(set) var held: RangeSet<Int64>
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

    private var unsaved = RangeSet<Int64>()
    /// How many bytes are held that the journal does not claim.
    private(set) var unsavedCount: Int64 = 0
    private var isLengthUnsaved = false
    private var demanded = CheckpointDemand.none

    init(description: ResourceDescription, held: RangeSet<Int64>, isPersistent: Bool) {
        self.description = description
        self.held = held
        self.heldCount = held.byteCount
        self.isPersistent = isPersistent
    }

    /// The run that can be read from an offset, up to an end.
    func readable(at offset: Int64, before end: Int64) -> Range<Int64>? {
        guard offset < end, let run = self.held.run(containing: offset) else { return nil }
        return offset..<min(run.upperBound, end)
    }

    /// The first part of a range that is not held yet.
    func nextMissing(in range: Range<Int64>) -> Range<Int64>? {
        guard let start = self.held.firstMissing(in: range) else { return nil }
        return self.held.hole(containing: start, before: range.upperBound)
            .map { $0.clamped(to: range) }
    }

    /// Bytes lie in the file: they are held from now on.
    ///
    /// - Returns: `nil` if something failed meanwhile, so that nobody knows what the file holds there:
    ///   the bytes are not held.
    mutating func wrote(_ range: Range<Int64>) -> CheckpointDemand? {
        guard self.failure == nil else { return nil }
        self.held.insert(contentsOf: range)
        let count = range.upperBound - range.lowerBound
        self.heldCount += count
        guard self.isPersistent, !self.isGone else { return CheckpointDemand.none }
        self.unsaved.insert(contentsOf: range)
        self.unsavedCount += count
        return self.demandCheckpoint()
    }

    /// The length was told.
    ///
    /// - Returns: `nil` if the length does not agree with what is known.
    mutating func learned(length: Int64) -> CheckpointDemand? {
        if let known = self.description.length {
            return known == length ? CheckpointDemand.none : nil
        }
        guard length >= 0, (self.held.ranges.last?.upperBound ?? 0) <= length else { return nil }
        self.description.length = length
        guard self.isPersistent, !self.isGone else { return CheckpointDemand.none }
        self.isLengthUnsaved = true
        return self.demandCheckpoint()
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

    /// A checkpoint starts: it takes everything that is unsaved.
    mutating func startedCheckpoint() -> Batch {
        self.demanded = .none
        guard self.isPersistent, !self.isGone else { return Batch(runs: RangeSet(), length: nil) }
        let batch = Batch(
            runs: self.unsaved,
            length: self.isLengthUnsaved ? self.description.length : nil
        )
        self.unsaved = RangeSet()
        self.unsavedCount = 0
        self.isLengthUnsaved = false
        return batch
    }

    /// The data could not be made durable.
    ///
    /// What the system then shows of the bytes that were not saved may be anything, so they are no
    /// longer held.
    ///
    /// - Returns: how many bytes were given up.
    mutating func lostData(of batch: Batch, _ error: CacheError) -> Int64 {
        self.failed(error)
        self.isLengthUnsaved = self.isLengthUnsaved || batch.length != nil
        let before = self.heldCount
        self.held.subtract(batch.runs)
        self.held.subtract(self.unsaved)
        self.heldCount = self.held.byteCount
        self.unsaved = RangeSet()
        self.unsavedCount = 0
        return before - self.heldCount
    }

    /// The data is durable, but the journal could not be written: the claims stay to be made.
    mutating func lostJournal(of batch: Batch, _ error: CacheError) {
        self.failed(error)
        self.unsaved.formUnion(batch.runs)
        self.unsavedCount = self.unsaved.byteCount
        self.isLengthUnsaved = self.isLengthUnsaved || batch.length != nil
    }

    /// Something could not be written; what is held stays readable.
    mutating func failed(_ error: CacheError) {
        if self.failure == nil { self.failure = error }
    }

    /// No journal can be made: what is held goes when its last user leaves.
    mutating func lostPersistence(_ error: CacheError) {
        self.failed(error)
        self.isPersistent = false
        self.unsaved = RangeSet()
        self.unsavedCount = 0
        self.isLengthUnsaved = false
    }

    /// The generation was removed or superseded; readers and writers may finish.
    mutating func removed() {
        self.isGone = true
        self.unsaved = RangeSet()
        self.unsavedCount = 0
        self.isLengthUnsaved = false
    }

    /// The cache was closed; nothing is written any more.
    mutating func closed() {
        self.isClosed = true
    }

    /// What the journal may claim after a batch was made durable: everything but what came since.
    var saved: RangeSet<Int64> { self.held.subtracting(self.unsaved) }
}

extension RangeSet where Bound == Int64 {
    /// Takes every run of another set away.
    mutating func subtract(_ other: RangeSet<Int64>) {
        for run in other.ranges { self.remove(contentsOf: run) }
    }
}
