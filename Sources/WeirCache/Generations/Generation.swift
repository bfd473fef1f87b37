// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
package import WeirSource

/// The cached bytes of one version of one resource.
///
/// Comes from ``Cache/open(_:)`` or ``Cache/create(_:description:persistent:)``, and goes back with
/// ``release()``. Any number of threads may read and write at once. A byte is readable as soon as
/// it is written, and durable after the next checkpoint. A checkpoint starts 500 ms after the first
/// unsaved byte, at 32 MiB of unsaved bytes, when the last user leaves, and when the cache closes.
///
/// When the resource is removed, evicted or superseded, its users can still read and write the open
/// generation. Lookups no longer find it.
///
/// A failed write or synchronization ends all writing. The held bytes stay readable. But if the
/// data file could not be synchronized, the unsaved bytes are no longer held. Writing is possible
/// again after the last user has left: the next user starts from the durable bytes.
package final class Generation: Sendable {
    /// How far the catalogue's row is marked as out of date, because the journal grows.
    enum CatalogueMark {
        /// The row is not marked.
        case none
        /// A task that will mark the row is in the generation's lane.
        case asked
        /// The row is marked, or the holder of ``Generation/saving`` is about to mark it.
        case told
    }

    /// The generation's name, which no later generation gets.
    package let id: GenerationID

    let key: ResourceID
    let file: StoredFile
    let state: Mutex<GenerationState>
    /// The journal; `nil` for a generation without one.
    ///
    /// Only a holder of ``saving`` writes records of durable bytes. A write of bytes adds
    /// provisional records without ``saving``. The journal's lock is taken before the lock of
    /// ``state``.
    let journal: Mutex<JournalFile?>
    /// The state of the catalogue's mark: if the process is killed, the next start reads the
    /// journals of marked rows.
    let mark = Mutex(CatalogueMark.none)
    /// The header of a journal that is not created yet; `nil` if the journal exists, or if the
    /// generation has no journal.
    let unannounced: Mutex<JournalHeader?>
    weak let cache: Cache?
    /// Held during a save: one save at a time, and none while the files are removed.
    ///
    /// This lock is taken before the cache's lock and the generation's own.
    let saving = Mutex(())
    /// A copy of ``GenerationState/isGone`` that event loops can read.
    private let isGone = Atomic(false)
    /// Whether the cache keeps the generation after its last user has left, although it has no
    /// journal.
    private let isRetainedUnused = Atomic(false)
    /// Held during a write, so that two writers of one hole do not both write.
    let writing = Mutex(())
    /// Raised when accepted bytes were written, or will not be.
    let written = Signal()

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

    deinit {
        self.cache?.acceptedEnded(self.state.withLock { $0.coming })
    }

    /// The description of the resource; its `generation` is ``id``.
    package var description: ResourceDescription { self.state.withLock { $0.description } }

    /// The held bytes, including those that are not compared with their checksums yet, and those
    /// that are accepted and will be written.
    package var held: RangeSet<Int64> {
        self.state.withLock { state in
            state.coming == 0 ? state.held : state.held.union(state.accepted.ranges)
        }
    }

    /// The bytes that readers can get: the held ones, and accepted ones that will not be written.
    package var readable: RangeSet<Int64> {
        self.state.withLock { state in
            state.accepted.isEmpty ? state.held : state.held.union(state.accepted.ranges)
        }
    }

    /// The bytes that stay readable after a power cut.
    package var durable: RangeSet<Int64> { self.state.withLock { $0.durable } }

    /// The identifier of its resource: 32 hexadecimal digits.
    package var resource: String { self.key.description }

    /// How many bytes are ``held``.
    package var heldByteCount: Int64 { self.state.withLock { $0.heldCount + $0.coming } }

    /// Whether all bytes of a range are readable: held, or accepted.
    ///
    /// Costs one binary search in the held runs.
    package func holds(_ range: Range<Int64>) -> Bool {
        self.state.withLock { $0.nextUnknown(in: range) == nil }
    }

    /// Whether the file has all bytes of a range.
    func hasWritten(_ range: Range<Int64>) -> Bool {
        self.state.withLock { $0.nextMissing(in: range) == nil }
    }

    /// Whether lookups of the resource still find this generation.
    ///
    /// `false` after the resource was removed, evicted or superseded.
    ///
    /// Takes no lock, and makes no system call.
    package var isCurrent: Bool { !self.isGone.load(ordering: .acquiring) }

    /// Whether the user wants the resource to be kept, whatever the limits are.
    package var isPinned: Bool { self.state.withLock { $0.isPinned } }

    /// Notes that the origin has just confirmed this generation as current.
    ///
    /// Returns at once. The cache writes the time to the catalogue within half a minute, or when
    /// the cache closes.
    package func confirm() {
        self.cache?.confirmed(self)
    }

    /// How long ago the origin last confirmed this generation, to this process or an earlier one,
    /// by the wall clock.
    ///
    /// Creating the generation counts as confirmation. `nil` if unknown.
    package var timeSinceConfirmation: Duration? { self.cache?.timeSinceConfirmation(of: self) }

    /// The failure that has ended all writing, if any.
    package var failure: CacheError? { self.state.withLock { $0.failure } }

    /// The held bytes of a range, from its first byte to the first hole.
    ///
    /// Costs two locks and at most one binary search in the readable runs; makes no system call.
    ///
    /// - Returns: `nil` if the length is unknown, or the range is empty; if its first byte is not
    ///   held or not compared with its checksum yet; or if the file is closed.
    ///   ``checkedSlice(at:before:)`` compares the bytes, and opens the file.
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

    /// Whether ``slice(_:)`` was called since the last call of this function.
    ///
    /// The cache does not see the reads of slices, so it calls this function before an eviction and
    /// when it closes.
    func takeRead() -> Bool {
        self.state.withLock { state in
            defer { state.isRead = false }
            return state.isRead
        }
    }

    /// The held bytes from an offset to an end, or to the first hole.
    ///
    /// Also works while the length is unknown; the slice's description then has no length.
    ///
    /// - Returns: `nil` if the offset is not held, not compared with its checksum yet, or not below
    ///   `end`, or if the file is closed.
    package func slice(at offset: Int64, before end: Int64) -> ResidentSlice? {
        self.state.withLock { state in
            self.doubt(&state)
            return self.slice(&state, at: offset, before: end)
        }
    }

    /// Marks all bytes as not compared with their checksums, after a failed read of a slice.
    ///
    /// The next comparison turns unreadable bytes into a hole.
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

    /// The file; opens it if it is closed.
    ///
    /// Creates it before the first byte is written.
    ///
    /// - Throws: ``CacheError``. Lookups then no longer find the generation, since its bytes are
    ///   lost. They still find it if the file was not created yet, or if the cause is a missing
    ///   permission, or a shortage of descriptors or memory.
    func openedFile() throws(CacheError) -> DataFile {
        do throws(CacheError) {
            return try self.file.opened()
        } catch {
            let isPassing = error.errno.map {
                SystemErrors.isShortage($0) || SystemErrors.isRefusal($0)
            }
            if isPassing != true, self.file.isCreated { self.cache?.vanished(self) }
            throw error
        }
    }

    /// Sets the length, once it is known; setting it again changes nothing.
    ///
    /// - Throws: ``CacheError`` with `lengthConflict` if another length is known, if bytes past
    ///   this length are held, or if no resource can have this length.
    package func setLength(_ length: Int64) throws(CacheError) {
        let demand = self.state.withLock { $0.learned(length: length) }
        guard let demand else {
            throw CacheError(
                .lengthConflict,
                "Could not set the length of a resource to \(length) bytes: this contradicts the known length, the "
                    + "held bytes or the longest possible length; fetch the resource again.",
                path: self.file.path
            )
        }
        self.cache?.wrote(0, to: self, demand)
    }

    /// Makes all bytes written before the call durable.
    ///
    /// Synchronizes the data first, then the journal's claims. Does nothing without a journal, or
    /// if lookups no longer find the generation. Ignores cancellation: a checkpoint is short.
    ///
    /// - Throws: ``CacheError`` with `full`, `io` and the other reasons why a file cannot be
    ///   written; `closed`.
    package func checkpoint() async throws(CacheError) {
        guard let cache = self.cache, !self.state.withLock({ $0.isClosed }) else {
            throw CacheError.closed(self.file.path)
        }
        let failure: CacheError? = await withCheckedContinuation { continuation in
            cache.work.enqueue(in: self.id) {
                self.writeAccepted()
                continuation.resume(returning: cache.save(self) ?? self.failure)
            }
        }
        if let failure { throw failure }
    }

    /// Ends a use of the generation.
    ///
    /// Must be called once for every ``Cache/open(_:)`` and
    /// ``Cache/create(_:description:persistent:)`` that returned it. Returns at once. After the
    /// last user has left, the cache makes the remaining bytes durable. If the generation was
    /// removed, evicted or superseded in the meantime, the system frees its disk space once no
    /// slice or lease uses the file.
    package func release() {
        self.release(isUse: true)
    }

    /// Ends a use like ``release()``, but keeps a generation without a journal until ``forget()``
    /// or its eviction.
    ///
    /// Lookups find the generation until then. After a failed write it is not kept.
    package func releaseKeeping() {
        self.isRetainedUnused.store(true, ordering: .relaxed)
        self.release(isUse: true)
    }

    /// Undoes ``releaseKeeping()``: the cache removes the generation now, or after its last user
    /// has left.
    package func forget() {
        guard self.isRetainedUnused.exchange(false, ordering: .relaxed) else { return }
        self.cache?.forgotten(self)
    }

    /// Whether ``releaseKeeping()`` was called, and ``forget()`` was not called since.
    var isRetained: Bool { self.isRetainedUnused.load(ordering: .relaxed) }

    /// Keeps the generation readable while the returned lease lives, even if it is removed.
    package func lease() -> GenerationLease {
        GenerationLease(self)
    }

    /// Ends a use of the generation.
    ///
    /// - Parameter isUse: whether the release sets the time of the last use, by which eviction
    ///   chooses.
    func release(isUse: Bool) {
        self.file.letGo()
        self.cache?.released(self, isUse: isUse)
    }

    /// Notes that lookups no longer find the generation.
    func removed() {
        self.isGone.store(true, ordering: .releasing)
        self.state.withLock { $0.removed() }
    }

    /// Refuses further bytes, writes the accepted ones, and returns when the last write has ended.
    func close() {
        self.state.withLock { $0.closed() }
        self.writeAccepted()
        self.writing.withLock { _ in }
    }
}

/// Holds a generation for a reader that is not one of its counted users.
package final class GenerationLease: Sendable {
    private let file: StoredFile
    private let generation: Weak<Generation>

    init(_ generation: Generation) {
        self.file = generation.file
        self.generation = Weak(generation)
        self.file.hold()
    }

    deinit {
        self.file.letGo()
        self.generation.object?.dropAccepted()
    }
}
