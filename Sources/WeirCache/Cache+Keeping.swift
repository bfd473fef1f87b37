// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

// The work on the cache's queue and in the lanes of its generations, and the functions that enqueue
// it.
extension Cache {
    /// How long the catalogue may lack the time of a last use.
    static let flushDelay = Duration.seconds(30)

    /// Counts bytes that were added to a generation, and schedules its checkpoint.
    func wrote(
        _ count: Int64,
        to generation: Generation,
        _ demand: GenerationState.CheckpointDemand
    ) {
        if count > 0 {
            self.state.withLock { $0.index.addBytes(count, to: generation.key, generation.id) }
            self.evictIfNeeded(.sparingNewest)
        }
        switch demand {
        case .none:
            break
        case .now:
            self.work.enqueue(in: generation.id) { _ = self.save(generation) }
        case .later:
            self.work.enqueue(in: generation.id, after: GenerationState.checkpointDelay) {
                [weak self, weak generation] in
                guard let self, let generation else { return }
                _ = self.save(generation)
            }
        }
    }

    /// Counts bytes that a generation has accepted, and that a thread of the cache writes.
    func accepted(_ count: Int64, by generation: Generation) {
        guard count > 0 else { return }
        self.acceptedCount.wrappingAdd(count, ordering: .relaxed)
        self.state.withLock { $0.index.addBytes(count, to: generation.key, generation.id) }
        self.evictIfNeeded(.sparingNewest)
    }

    /// Whether fetches must wait for the disk, whatever generation they belong to.
    var isCrowded: Bool {
        self.acceptedCount.load(ordering: .relaxed) > Self.mostAccepted
            || self.state.withLock { $0.leavingCount >= State.mostLeaving }
    }

    /// The most accepted bytes of all generations: 64 MiB.
    private static let mostAccepted: Int64 = 64 << 20

    /// Records a generation's written bytes in its journal, once there are enough of them.
    func claimWritten(of generation: Generation) {
        guard generation.state.withLock({ $0.wantsClaims }) else { return }
        let mark = generation.mark.withLock { mark in
            defer { if mark == .none { mark = .asked } }
            return mark
        }
        switch mark {
        case .none:
            // Mark the catalogue's row first: the journal is about to list more bytes than the row.
            self.work.enqueue(in: generation.id) {
                generation.saving.withLock { _ in
                    // Skip this if the row was marked, or the last user left, in the meantime.
                    if generation.mark.withLock({ $0 == .asked }) { self.mark(generation) }
                }
            }
        case .asked:
            break
        case .told:
            generation.claimWritten(self.files.disk)
        }
    }

    /// Marks the catalogue's row as out of date, before the journal lists more bytes than the row.
    ///
    /// After a kill, the next start reads the journals of marked rows.
    private func mark(_ generation: Generation) {
        let isNews = generation.mark.withLock { mark in
            defer { mark = .told }
            return mark != .told
        }
        if isNews { self.note([generation.key], isChanging: true) }
    }

    /// Reports damaged bytes of a generation, and saves the generation without them.
    func lost(_ ranges: RangeSet<Int64>, of generation: Generation) {
        let count = ranges.byteCount
        self.state.withLock { $0.index.addBytes(-count, to: generation.key, generation.id) }
        self.observer?(.cacheDamaged(byteCount: count))
        self.work.enqueue(in: generation.id) { _ = self.save(generation) }
    }

    /// Notes that the origin has confirmed a generation as current.
    func confirmed(_ generation: Generation) {
        self.state.withLock { state in
            state.index.confirm(generation.key, generation.id, at: self.now())
            if state.index[generation.key] != nil { state.touched.insert(generation.key) }
        }
        self.used()
    }

    /// How long ago the origin confirmed a generation; `nil` if that is unknown.
    func timeSinceConfirmation(of generation: Generation) -> Duration? {
        guard let entry = self.state.withLock({ $0.index[generation.key] }),
            entry.generation == generation.id, entry.confirmed > 0
        else { return nil }
        // A negative age means that the clock was set back.
        let age = self.now().subtractingClamped(entry.confirmed)
        return age < 0 ? nil : .milliseconds(age)
    }

    /// Notes that a user has released a generation.
    ///
    /// - Parameters:
    ///   - generation: the released generation.
    ///   - isUse: whether the release sets the time of the last use, by which eviction chooses.
    func released(_ generation: Generation, isUse: Bool = true) {
        let now = isUse ? self.now() : nil
        let isUnused = self.state.withLock { $0.leave(generation, at: now) }
        // Not in the queue, which may wait for the disk that has failed.
        generation.dropAccepted()
        guard isUnused else { return }
        if !self.settleIfSaved(generation) { self.work.enqueue { self.settle(generation) } }
        self.used()
    }

    /// Settles a generation at once if everything but its last use is saved.
    ///
    /// The last use can be saved later.
    ///
    /// - Returns: whether it settled the generation.
    private func settleIfSaved(_ generation: Generation) -> Bool {
        let isSettled = generation.saving.withLockIfAvailable { _ in
            guard generation.mark.withLock({ $0 == .none }),
                generation.unannounced.withLock({ $0 == nil }),
                generation.state.withLock({ $0.isSaved && $0.accepted.isEmpty })
            else { return false }
            self.state.withLock { _ = $0.settle(generation) }
            return true
        }
        return isSettled == true
    }

    /// Waits for the saves of unused generations if too many of them wait, but not for a disk that has stopped.
    ///
    /// Without this, the number of open files would have no bound. Must not be called from the
    /// queue.
    ///
    /// - Returns: whether there is room for another open file.
    @discardableResult
    func waitForRoom() -> Bool {
        let progress = self.saves.progress
        guard self.state.withLock({ $0.leavingCount >= State.leavingLimit }) else { return true }
        guard !self.saves.hasStalled else { return false }
        if self.work.wait(atMost: Generation.diskPatience) { return true }
        self.saves.waited(since: progress)
        return false
    }

    /// Evicts if necessary, and schedules a flush, after a resource was opened, made or released.
    func used() {
        self.evictIfNeeded(.sparingNewest)
        guard self.state.withLock({ $0.wantsFlush() }) else { return }
        self.work.enqueue(after: Self.flushDelay) { [weak self] in self?.flush() }
    }

    /// Queues an eviction if the cache exceeds its limits.
    func evictIfNeeded(_ eviction: State.Eviction) {
        guard self.state.withLock({ $0.wants(eviction, at: self.now()) }) else { return }
        self.work.enqueue { self.evict() }
    }

    /// Asks how much room the disk has left, if the limits depend on it.
    ///
    /// Waits for a system call, not for the disk.
    func lookAtDisk() {
        guard self.state.withLock({ $0.limits.reserve != nil }) else { return }
        // If the system does not report the free space, a failed write reports the full disk.
        let count = try? self.files.disk.freeByteCount(ofDirectory: self.directory)
        self.state.withLock { $0.freeByteCount = count ?? .max }
    }

    /// Removes a generation whose files are unusable.
    func drop(_ id: ResourceID, _ generation: GenerationID) {
        let known = self.state.withLock { state -> State.Superseded? in
            guard !state.isClosed, state.index[id]?.generation == generation,
                state.live[id] == nil
            else { return nil }
            return state.remove(id)
        }
        guard let known else { return }
        self.work.enqueue {
            self.remove([known])
        }
    }

    /// Removes a generation that the cache kept without a journal, unless it has a user.
    func forgotten(_ generation: Generation) {
        let gone = self.state.withLock { $0.remove(generation, ifUnused: true) }
        guard let gone else { return }
        self.work.enqueue { self.remove([gone]) }
    }

    /// Removes a generation whose data file no longer has the written bytes.
    func vanished(_ generation: Generation) {
        guard let gone = self.state.withLock({ $0.remove(generation) }) else { return }
        self.work.enqueue { self.remove([gone]) }
    }

    // MARK: In lanes and on the queue

    /// Makes the held bytes of a generation durable.
    ///
    /// - Returns: the failure, if there was one.
    func save(_ generation: Generation) -> CacheError? {
        generation.saving.withLock { _ in self.saveLocked(generation) }
    }

    /// The same as ``save(_:)``, for a caller that holds ``Generation/saving``.
    private func saveLocked(_ generation: Generation) -> CacheError? {
        self.announce(generation)
        let outcome = generation.saveUnsaved(self.files.disk) { self.mark(generation) }
        if outcome.lostCount > 0 {
            self.state.withLock {
                $0.index.addBytes(-outcome.lostCount, to: generation.key, generation.id)
            }
        }
        if let failure = outcome.failure {
            self.degraded(failure)
            return failure
        }
        if outcome.hasSaved {
            self.lookAtDisk()
            self.evictIfNeeded(.sparingNewest)
            self.recovered()
            self.note([generation.key], isChanging: true)
            self.saved.withLock { $0 }?(generation)
        }
        return nil
    }

    /// Writes the journal and the row of a new generation, then removes the generation that it
    /// supersedes.
    func found(_ generation: Generation, superseding old: State.Superseded?) {
        generation.saving.withLock { _ in self.announce(generation) }
        if let old { self.work.enqueue { self.remove([old]) } }
    }

    /// Writes the journals and rows of all new generations that have none yet.
    func announceAll() {
        for generation in self.state.withLock({ $0.live.kept }) {
            generation.writeAccepted()
            generation.saving.withLock { _ in self.announce(generation) }
        }
    }

    /// Writes the journal and the row of a new generation; the caller holds ``Generation/saving``.
    private func announce(_ generation: Generation) {
        let header = generation.unannounced.withLock { header in
            defer { header = nil }
            return header
        }
        let (isGone, isPersistent) = generation.state.withLock { ($0.isGone, $0.isPersistent) }
        guard let header, isPersistent, !isGone else { return }
        do throws(CacheError) {
            // A journal without a data file proves nothing.
            _ = try generation.openedFile()
            try self.files.synchronizeFolder(of: generation.key)
            try generation.journal.withLock { journal throws(CacheError) in
                try journal?.create(self.files.disk)
            }
        } catch {
            generation.state.withLock { $0.lostPersistence(error) }
            self.degraded(error)
            return
        }
        generation.mark.withLock { $0 = .told }
        let rows = CollectionOfOne(header).lazy.compactMap { header in
            self.row(of: generation, header)
        }
        self.tellCatalogue { catalogue throws(CacheError) in try catalogue.put(rows) }
    }

    /// The first row of a generation; `nil` if lookups no longer find the generation.
    private func row(of generation: Generation, _ header: JournalHeader) -> CatalogueRow? {
        guard let entry = self.state.withLock({ $0.index[generation.key] }),
            entry.generation == generation.id
        else { return nil }
        return CatalogueRow(
            header,
            id: generation.key,
            generation: generation.id,
            length: generation.description.length,
            heldCount: entry.heldCount,
            lastUse: entry.lastUse,
            confirmed: entry.confirmed
        )
    }

    /// Saves a generation after its last user left, and decides whether it stays open.
    func settle(_ generation: Generation) {
        generation.writeAccepted()
        let fate = generation.saving.withLock { _ in
            _ = self.saveLocked(generation)
            let fate = self.state.withLock { $0.settle(generation) }
            if fate == .kept {
                generation.mark.withLock { $0 = .none }
                self.note([generation.key], isChanging: false)
            }
            return fate
        }
        self.saves.advanced()
        switch fate {
        case .stays, .kept: break
        case .failed:
            generation.dropAccepted()
            generation.file.willBeRemoved()
        case .gone: self.remove([State.Superseded(generation)])
        }
    }

    /// Removes the least recently used resources while the cache exceeds its limits.
    func evict() {
        let victims = self.state.withLock { $0.evict(at: self.now()) }
        self.remove(victims)
        if !victims.isEmpty {
            self.observer?(
                .cacheEvicted(
                    resourceCount: victims.count,
                    byteCount: victims.reduce(0) { $0.addingClamped($1.heldCount) }
                )
            )
        }
        self.lookAtDisk()
    }

    /// Removes generations from the catalogue, then their journals, then their data.
    ///
    /// Waits for a save in progress, and saves nothing more. Readers of these generations can read
    /// to the end.
    @discardableResult
    func remove(_ generations: [State.Superseded]) -> CacheError? {
        for generation in generations {
            generation.open?.saving.withLock { _ in }
            generation.open?.file.willBeRemoved()
        }
        self.tellCatalogue { catalogue throws(CacheError) in
            try catalogue.remove(generations.map { ($0.resource, $0.generation) })
        }
        var failure: CacheError?
        for generation in generations {
            do throws(CacheError) {
                try self.files.remove(generation.resource, generation.generation)
            } catch {
                self.degraded(error)
                failure = failure ?? error
            }
        }
        return failure
    }

    /// Writes the times of last use that the catalogue does not have yet.
    func flush() {
        let touched = self.state.withLock { state in
            state.isFlushDue = false
            return Array(state.touched)
        }
        self.note(touched, isChanging: nil)
    }

    /// Makes all open generations durable, and closes the catalogue.
    func finish(_ generations: [Generation]) {
        var isClean = true
        for generation in generations {
            let isGone = generation.saving.withLock { _ in
                if self.saveLocked(generation) != nil { isClean = false }
                let (isPersistent, hasFailed) = generation.state.withLock {
                    ($0.isPersistent, $0.failure != nil)
                }
                if hasFailed { isClean = false }
                if isPersistent, !hasFailed { self.note([generation.key], isChanging: false) }
                return !isPersistent
            }
            if isGone { self.remove([State.Superseded(generation)]) }
        }
        self.flush()
        let isBehind = self.state.withLock { $0.isCatalogueBehind }
        do throws(CacheError) {
            try self.catalogue.close(isClean: isClean && !isBehind)
        } catch {
            self.degraded(error)
        }
    }

    /// Writes sizes and last uses to the catalogue.
    ///
    /// - Parameters:
    ///   - ids: the resources.
    ///   - isChanging: whether the journals are about to grow; `nil` leaves the mark as it is.
    private func note(_ ids: [ResourceID], isChanging: Bool?) {
        guard !ids.isEmpty else { return }
        // The transaction makes each row just before it writes it, so that no older row follows a
        // newer one. A flush may have a hundred thousand rows, and readers wait for the lock.
        let updates = ids.lazy.compactMap { id in
            self.state.withLock { $0.update(of: id, isChanging: isChanging) }
        }
        self.tellCatalogue { catalogue throws(CacheError) in try catalogue.update(updates) }
    }

    /// Changes the catalogue.
    ///
    /// A failure here is not a failure of the cache: the journals are the truth, and the next start
    /// compares the catalogue with them.
    func tellCatalogue(_ change: (Catalogue) throws(CacheError) -> Void) {
        do throws(CacheError) {
            try change(self.catalogue)
        } catch {
            guard error.code != .closed else { return }
            self.state.withLock { $0.isCatalogueBehind = true }
            self.degraded(error)
        }
    }
}
