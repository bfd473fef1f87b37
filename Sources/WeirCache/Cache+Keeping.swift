// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

// What happens on the cache's queue and in the lanes of its generations, and what puts it there.
extension Cache {
    /// How long a last use may wait before the catalogue hears of it.
    static let flushDelay = Duration.seconds(30)

    /// Bytes were added to a generation.
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

    /// Tells a journal of what was written, once there is enough of it.
    func claimWritten(of generation: Generation) {
        guard generation.state.withLock({ $0.wantsClaims }) else { return }
        let mark = generation.mark.withLock { mark in
            defer { if mark == .none { mark = .asked } }
            return mark
        }
        switch mark {
        case .none:
            // The catalogue is told first that the journal is about to say more than it does.
            self.work.enqueue(in: generation.id) {
                generation.saving.withLock { _ in
                    // Not if it was told, or left, meanwhile.
                    if generation.mark.withLock({ $0 == .asked }) { self.mark(generation) }
                }
            }
        case .asked:
            break
        case .told:
            generation.claimWritten(self.files.disk)
        }
    }

    /// A journal is about to say more than the catalogue: a kill must not hide that.
    private func mark(_ generation: Generation) {
        let isNews = generation.mark.withLock { mark in
            defer { mark = .told }
            return mark != .told
        }
        if isNews { self.note([generation.key], isChanging: true) }
    }

    /// Bytes of a generation turned out not to be what was written.
    func lost(_ ranges: RangeSet<Int64>, of generation: Generation) {
        let count = ranges.byteCount
        self.state.withLock { $0.index.addBytes(-count, to: generation.key, generation.id) }
        self.observer?(.cacheDamaged(byteCount: count))
        self.work.enqueue(in: generation.id) { _ = self.save(generation) }
    }

    /// The origin has said that a generation is what it has.
    func confirmed(_ generation: Generation) {
        self.state.withLock { state in
            state.index.confirm(generation.key, generation.id, at: self.now())
            if state.index[generation.key] != nil { state.touched.insert(generation.key) }
        }
        self.used()
    }

    /// How long ago that was; `nil` if it is not known.
    func timeSinceConfirmation(of generation: Generation) -> Duration? {
        guard let entry = self.state.withLock({ $0.index[generation.key] }),
            entry.generation == generation.id, entry.confirmed > 0
        else { return nil }
        // A clock that was set back says nothing.
        let age = self.now().subtractingClamped(entry.confirmed)
        return age < 0 ? nil : .milliseconds(age)
    }

    /// A user left.
    ///
    /// - Parameters:
    ///   - generation: what it used.
    ///   - isUse: whether that counts as a use just now, for eviction.
    func released(_ generation: Generation, isUse: Bool = true) {
        let now = isUse ? self.now() : nil
        guard self.state.withLock({ $0.leave(generation, at: now) }) else { return }
        if !self.settleIfSaved(generation) { self.work.enqueue { self.settle(generation) } }
        self.used()
    }

    /// Settles at once what was only read: nothing of it is to be written down but its last use, and that not now.
    private func settleIfSaved(_ generation: Generation) -> Bool {
        let isSettled = generation.saving.withLockIfAvailable { _ in
            guard generation.mark.withLock({ $0 == .none }),
                generation.unannounced.withLock({ $0 == nil }),
                generation.state.withLock({ $0.isSaved })
            else { return false }
            self.state.withLock { _ = $0.settle(generation) }
            return true
        }
        return isSettled == true
    }

    /// Waits until what was left is saved, if so much of it waits that the number of open files would
    /// otherwise have no bound.
    func waitIfCrowded() {
        let isCrowded = self.state.withLock { $0.leavingCount >= State.leavingLimit }
        if isCrowded { self.work.perform {} }
    }

    /// Something was opened, made or left.
    func used() {
        self.evictIfNeeded(.sparingNewest)
        guard self.state.withLock({ $0.wantsFlush() }) else { return }
        self.work.enqueue(after: Self.flushDelay) { [weak self] in self?.flush() }
    }

    /// Puts an eviction on the queue if too much is held.
    func evictIfNeeded(_ eviction: State.Eviction) {
        guard self.state.withLock({ $0.wants(eviction, at: self.now()) }) else { return }
        self.work.enqueue { self.evict() }
    }

    /// Looks how much room is left, if that matters.
    ///
    /// Waits for the system, not for the disk.
    func lookAtDisk() {
        guard self.state.withLock({ $0.limits.reserve != nil }) else { return }
        // A disk that does not say it is full says so when it is written to.
        let count = try? self.files.disk.freeByteCount(ofDirectory: self.directory)
        self.state.withLock { $0.freeByteCount = count ?? .max }
    }

    /// The files of a generation prove nothing: it goes.
    func drop(_ id: ResourceID, _ generation: GenerationID) {
        let known = self.state.withLock { state -> State.Superseded? in
            guard state.index[id]?.generation == generation, state.live[id] == nil else {
                return nil
            }
            return state.remove(id)
        }
        guard let known else { return }
        self.work.enqueue {
            self.remove([known])
        }
    }

    /// A generation that was kept without a user is wanted no longer.
    func forgotten(_ generation: Generation) {
        let gone = self.state.withLock { $0.remove(generation, ifUnused: true) }
        guard let gone else { return }
        self.work.enqueue { self.remove([gone]) }
    }

    /// The file of a generation is no longer what was written.
    func vanished(_ generation: Generation) {
        guard let gone = self.state.withLock({ $0.remove(generation) }) else { return }
        self.work.enqueue { self.remove([gone]) }
    }

    // MARK: In lanes and on the queue

    /// Makes what a generation holds durable.
    ///
    /// - Returns: why it could not be.
    func save(_ generation: Generation) -> CacheError? {
        generation.saving.withLock { _ in self.saveLocked(generation) }
    }

    /// The same, while ``Generation/saving`` is held.
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

    /// A generation was made: its journal, then its row, then what it supersedes goes.
    func found(_ generation: Generation, superseding old: State.Superseded?) {
        generation.saving.withLock { _ in self.announce(generation) }
        if let old { self.work.enqueue { self.remove([old]) } }
    }

    /// Generations that were made a moment ago, and whose row is written in their lane, have it when this returns.
    func announceAll() {
        for generation in self.state.withLock({ $0.live.kept }) {
            generation.saving.withLock { _ in self.announce(generation) }
        }
    }

    /// Makes the journal and the row of a generation that has none yet, while ``Generation/saving`` is held.
    private func announce(_ generation: Generation) {
        let header = generation.unannounced.withLock { header in
            defer { header = nil }
            return header
        }
        let (isGone, isPersistent) = generation.state.withLock { ($0.isGone, $0.isPersistent) }
        guard let header, isPersistent, !isGone else { return }
        do throws(CacheError) {
            try generation.journal.withLock { journal throws(CacheError) in
                try journal?.create(self.files.disk)
            }
        } catch {
            generation.state.withLock { $0.lostPersistence(error) }
            self.degraded(error)
            return
        }
        guard let entry = self.state.withLock({ $0.index[generation.key] }),
            entry.generation == generation.id
        else { return }
        generation.mark.withLock { $0 = .told }
        let row = CatalogueRow(
            header,
            id: generation.key,
            generation: generation.id,
            length: generation.description.length,
            heldCount: entry.heldCount,
            lastUse: entry.lastUse,
            confirmed: entry.confirmed
        )
        self.tellCatalogue { catalogue throws(CacheError) in try catalogue.put([row]) }
    }

    /// A generation's last user left.
    func settle(_ generation: Generation) {
        let fate = generation.saving.withLock { _ in
            _ = self.saveLocked(generation)
            let fate = self.state.withLock { $0.settle(generation) }
            if fate == .kept {
                generation.mark.withLock { $0 = .none }
                self.note([generation.key], isChanging: false)
            }
            return fate
        }
        switch fate {
        case .stays, .kept: break
        case .failed: generation.file.willBeRemoved()
        case .gone: self.remove([State.Superseded(generation)])
        }
    }

    /// Too much is held.
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

    /// Takes generations out of the catalogue, then their journals away, then their data.
    ///
    /// Nothing is saved of them any more; what is being saved is waited for. Its readers can read to its end.
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

    /// Writes down the last uses that the catalogue does not know yet.
    func flush() {
        let touched = self.state.withLock { state in
            state.isFlushDue = false
            return Array(state.touched)
        }
        self.note(touched, isChanging: nil)
    }

    /// Everything that is open becomes durable, and the catalogue is closed.
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

    /// Tells the catalogue sizes and last uses.
    ///
    /// - Parameters:
    ///   - ids: the resources.
    ///   - isChanging: whether the journals are about to grow; `nil` if that is as it was.
    private func note(_ ids: [ResourceID], isChanging: Bool?) {
        let updates = self.state.withLock { state in
            ids.compactMap { id -> Catalogue.Update? in
                state.touched.remove(id)
                guard let entry = state.index[id] else { return nil }
                let generation = state.live[id]
                return Catalogue.Update(
                    id: id,
                    generation: entry.generation,
                    heldCount: entry.heldCount,
                    length: generation?.description.length,
                    lastUse: entry.lastUse,
                    confirmed: entry.confirmed,
                    isChanging: isChanging
                )
            }
        }
        self.tellCatalogue { catalogue throws(CacheError) in try catalogue.update(updates) }
    }

    /// Changes the catalogue.
    ///
    /// That it cannot be is no failure of the cache: the journals are the truth, and the next start
    /// compares them.
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
