// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

/// One version of one resource, as far as it is held.
///
/// Got from ``Cache/open(_:)`` or ``Cache/create(_:description:persistent:)``, given back with
/// ``release()``. Any number of threads may read and write at once. A byte is readable the moment
/// it is written, and durable after the next checkpoint, which comes of itself: when 32 MiB or 500 ms
/// have gathered, when the last user leaves, and when the cache closes.
///
/// When the resource is removed, evicted or superseded, its users go on reading, and may go on
/// writing, what they have open; it is no longer found.
///
/// A write that fails ends all writing: the cached bytes stay readable, and a generation opened after the
/// last user has left starts afresh from what is durable.
package final class Generation: Sendable {
    /// What the catalogue has been told of a journal that grows.
    enum CatalogueMark {
        /// Nothing.
        case none
        /// It is about to be told.
        case asked
        /// That it must not be believed.
        case told
    }

    /// The generation's name, never used again.
    package let id: GenerationID

    let key: ResourceID
    let file: StoredFile
    let state: Mutex<GenerationState>
    /// The journal; `nil` where none is kept.
    ///
    /// Records of what is durable are written while ``saving`` is held only, provisional ones by whoever writes bytes.
    /// Taken before the generation's state.
    let journal: Mutex<JournalFile?>
    /// Whether the catalogue knows that it must not be believed on this generation after a kill.
    let mark = Mutex(CatalogueMark.none)
    /// What is told once, when the journal is made; `nil` from then on, and where no journal is kept.
    let unannounced: Mutex<JournalHeader?>
    weak let cache: Cache?
    /// Held while something of the generation is saved: one save at a time, and none while its files are removed.
    ///
    /// Taken before the cache's lock and the generation's own.
    let saving = Mutex(())
    /// Whether ``GenerationState/isGone``, for event loops.
    private let isGone = Atomic(false)
    /// Whether the cache keeps the generation, though it has no journal, when its last user leaves.
    private let isKeptUnused = Atomic(false)
    /// Held while bytes are written, so that two writers of one hole do not both write.
    private let writing = Mutex(())

    init(
        _ key: ResourceID,
        _ id: GenerationID,
        file: StoredFile,
        state: GenerationState,
        journal: JournalFile?,
        unannounced: JournalHeader? = nil,
        cache: Cache
    ) {
        self.key = key
        self.id = id
        self.file = file
        self.state = Mutex(state)
        self.journal = Mutex(journal)
        self.unannounced = Mutex(unannounced)
        self.cache = cache
    }

    /// What the resource is; its `generation` is ``id``.
    package var description: ResourceDescription { self.state.withLock { $0.description } }

    /// The bytes that can be read.
    package var held: RangeSet<Int64> { self.state.withLock { $0.held } }

    /// The bytes that can be read, and will be after a power cut.
    package var durable: RangeSet<Int64> { self.state.withLock { $0.durable } }

    /// The resource that it is a version of: 32 hexadecimal digits.
    package var resource: String { self.key.description }

    /// How many bytes can be read.
    package var heldByteCount: Int64 { self.state.withLock { $0.heldCount } }

    /// Whether all bytes of a range are there.
    ///
    /// Takes a bisection of the runs.
    package func holds(_ range: Range<Int64>) -> Bool {
        self.state.withLock { $0.held.firstMissing(in: range) == nil }
    }

    /// Whether the resource is still known by this generation: it was not removed, evicted or
    /// superseded since it was opened.
    ///
    /// No lock, no system call.
    package var isCurrent: Bool { !self.isGone.load(ordering: .acquiring) }

    /// Whether the user wants the resource to be kept, whatever the limits are.
    package var isPinned: Bool { self.state.withLock { $0.isPinned } }

    /// Writes down that the origin has said, just now, that this is what it has.
    ///
    /// Returns at once; durable within half a minute, and when the cache closes.
    package func confirm() {
        self.cache?.confirmed(self)
    }

    /// How long ago the origin last said so, by the clock of the day, in this process or an earlier one.
    ///
    /// Making the generation counts. `nil` where that is not known.
    package var timeSinceConfirmation: Duration? { self.cache?.timeSinceConfirmation(of: self) }

    /// Why nothing more is written, if that is so.
    package var failure: CacheError? { self.state.withLock { $0.failure } }

    /// The bytes of a range that lie on disk, from its first byte to where they end.
    ///
    /// Takes two locks and a bisection of the runs; no system call.
    ///
    /// - Returns: `nil` if the length is unknown, the range is empty, its first byte is not held or was not
    ///   compared with its checksum yet, or the file is closed: ``checkedSlice(at:before:)`` compares, and opens it.
    package func slice(_ range: RequestedRange) -> ResidentSlice? {
        self.state.withLock { state in
            self.doubt(&state)
            state.isRead = true
            guard let length = state.description.length,
                let wanted = range.resolved(inLength: length)
            else { return nil }
            return self.slice(&state, at: wanted.lowerBound, before: wanted.upperBound)
        }
    }

    /// Whether ``slice(_:)`` has read it since this was last asked.
    ///
    /// Whoever has it goes on reading from it without the cache, which so sees no use.
    func takeRead() -> Bool {
        self.state.withLock { state in
            defer { state.isRead = false }
            return state.isRead
        }
    }

    /// The bytes from an offset to an end, or to where the held bytes end.
    ///
    /// Works while the length is unknown, too; the slice's description then has none.
    ///
    /// - Returns: `nil` if the offset is not held, was not compared with its checksum yet, or is not below `end`, and
    ///   if the file is closed.
    package func slice(at offset: Int64, before end: Int64) -> ResidentSlice? {
        self.state.withLock { state in
            self.doubt(&state)
            return self.slice(&state, at: offset, before: end)
        }
    }

    /// What could not be read when it was sent is compared again before it is handed out, and is a hole if it still
    /// cannot be read.
    private func doubt(_ state: inout GenerationState) {
        if self.file.takeDoubt() { state.doubt() }
    }

    private func slice(
        _ state: inout GenerationState,
        at offset: Int64,
        before end: Int64
    ) -> ResidentSlice? {
        guard let run = state.readable(at: offset, before: end), let file = self.file.ifOpen else {
            return nil
        }
        return ResidentSlice(
            file: file,
            fileOffset: run.lowerBound,
            range: run,
            resource: state.description
        )
    }

    /// Keeps bytes.
    ///
    /// Those that are held already are left as they are.
    ///
    /// Blocks for as long as the system takes to copy the bytes; does not wait for the disk.
    ///
    /// - Throws: ``CacheError`` with `full`, `io` and the other reasons for which a file cannot be
    ///   written, the same one for every later write; `lengthConflict` for bytes past the end;
    ///   `closed`. Bytes before the one that failed may have been kept.
    package func write(_ bytes: ByteMemory, at offset: Int64) throws(CacheError) {
        guard bytes.count > 0 else { return }
        let end = offset.addingClamped(Int64(bytes.count))
        guard let range = ResourceLength.checked(from: offset, to: end) else {
            throw CacheError(
                .lengthConflict,
                "Could not keep bytes at offset \(offset): no resource is that long; fetch it again.",
                path: self.file.path
            )
        }
        guard let cache = self.cache else { throw CacheError.closed(self.file.path) }
        try self.writing.withLock { _ throws(CacheError) in
            try bytes.withUnsafeBytes { buffer throws(CacheError) in
                while let part = try self.nextPart(of: range) {
                    let lower = Int(part.lowerBound - offset)
                    let upper = Int(part.upperBound - offset)
                    let new = UnsafeRawBufferPointer(rebasing: buffer[lower..<upper])
                    let file: DataFile
                    do throws(CacheError) {
                        file = try self.openedFile()
                        try file.write(new, at: part.lowerBound)
                    } catch {
                        self.state.withLock { $0.failed(error) }
                        // What was removed meanwhile is not missed.
                        if self.isCurrent { cache.degraded(error) }
                        throw error
                    }
                    let pieces = BlockPiece.pieces(of: new, at: part)
                    if let demand = self.wrote(part, pieces, file) {
                        cache.wrote(part.upperBound - part.lowerBound, to: self, demand)
                        cache.claimWritten(of: self)
                    }
                }
            }
        }
    }

    /// Bytes lie in the file, which stays open until they are durable: what the system could not write is told to
    /// those only that had it open.
    private func wrote(
        _ range: Range<Int64>,
        _ pieces: [BlockPiece],
        _ file: DataFile
    ) -> GenerationState.CheckpointDemand? {
        self.state.withLock { state in
            let demand = state.wrote(range, pieces)
            if state.unsavedCount > 0 { state.unsavedFile = file }
            return demand
        }
    }

    /// The file, opened if it is not.
    ///
    /// - Throws: ``CacheError``; after `io` and the like the generation is no longer found, since its bytes are
    ///   lost.
    func openedFile() throws(CacheError) -> DataFile {
        do throws(CacheError) {
            return try self.file.opened()
        } catch {
            let isPassing = error.errno.map {
                SystemErrors.isShortage($0) || SystemErrors.isRefusal($0)
            }
            if isPassing != true { self.cache?.vanished(self) }
            throw error
        }
    }

    private func nextPart(of range: Range<Int64>) throws(CacheError) -> Range<Int64>? {
        try self.state.withLock { state throws(CacheError) in
            if let failure = state.failure { throw failure }
            guard !state.isClosed else { throw CacheError.closed(self.file.path) }
            if let length = state.description.length, range.upperBound > length {
                throw CacheError(
                    .lengthConflict,
                    "Could not keep the bytes \(range.lowerBound)..<\(range.upperBound) of a "
                        + "resource that has \(length); fetch it again.",
                    path: self.file.path
                )
            }
            return state.nextMissing(in: range)
        }
    }

    /// Tells the length, once it is known; telling it again changes nothing.
    ///
    /// - Throws: ``CacheError`` with `lengthConflict` if another length is known, or bytes past this
    ///   one are held.
    package func setLength(_ length: Int64) throws(CacheError) {
        let demand = self.state.withLock { $0.learned(length: length) }
        guard let demand else {
            throw CacheError(
                .lengthConflict,
                "Could not take \(length) bytes for the length of a resource that was described "
                    + "otherwise; fetch it again.",
                path: self.file.path
            )
        }
        self.cache?.wrote(0, to: self, demand)
    }

    /// Makes everything that was written before the call durable.
    ///
    /// The data first, then the journal's claim. Does nothing where no journal is kept, and where
    /// the resource was removed. Not cancelled with its task: a checkpoint is over soon.
    ///
    /// - Throws: ``CacheError`` with `full`, `io` and the other reasons for which a file cannot be
    ///   written; `closed`.
    package func checkpoint() async throws(CacheError) {
        guard let cache = self.cache, !self.state.withLock({ $0.isClosed }) else {
            throw CacheError.closed(self.file.path)
        }
        let failure: CacheError? = await withCheckedContinuation { continuation in
            cache.work.enqueue(in: self.id) {
                continuation.resume(returning: cache.save(self))
            }
        }
        if let failure { throw failure }
    }

    /// Gives the generation back, once for every ``Cache/open(_:)`` and
    /// ``Cache/create(_:description:persistent:)`` that handed it out.
    ///
    /// Returns at once. When the last user has left, what is not durable yet is made so. A generation that was removed,
    /// evicted or superseded meanwhile gives its bytes on the disk back then, but for slices in use.
    package func release() {
        self.release(isUse: true)
    }

    /// Gives the generation back as ``release()`` does, and keeps it, though it has no journal, until ``forget()``: it
    /// can be opened again, and may be evicted meanwhile.
    package func releaseKeeping() {
        self.isKeptUnused.store(true, ordering: .relaxed)
        self.release(isUse: true)
    }

    /// Takes back what ``releaseKeeping()`` asked for: without a journal and a user it goes.
    package func forget() {
        guard self.isKeptUnused.exchange(false, ordering: .relaxed) else { return }
        self.cache?.forgotten(self)
    }

    /// Whether ``releaseKeeping()`` asked for it.
    var isKept: Bool { self.isKeptUnused.load(ordering: .relaxed) }

    /// Keeps the generation readable for as long as the returned lease lives, though it be removed meanwhile.
    package func lease() -> GenerationLease {
        GenerationLease(self.file)
    }

    /// Gives the generation back.
    ///
    /// - Parameter isUse: whether that counts as a use just now, for eviction.
    func release(isUse: Bool) {
        self.file.letGo()
        self.cache?.released(self, isUse: isUse)
    }

    /// The generation is no longer found.
    func removed() {
        self.isGone.store(true, ordering: .releasing)
        self.state.withLock { $0.removed() }
    }

    /// Lets no more bytes in, and returns when those being written are.
    func close() {
        self.writing.withLock { _ in
            self.state.withLock { $0.closed() }
        }
    }
}

/// Holds a generation for a reader that is not one of its users.
package final class GenerationLease: Sendable {
    private let file: StoredFile

    init(_ file: StoredFile) {
        self.file = file
        file.hold()
    }

    deinit {
        self.file.letGo()
    }
}
