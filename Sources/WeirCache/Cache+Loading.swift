// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

extension Cache {
    /// An unused name for a generation.
    func newName(at now: Int64) throws(CacheError) -> GenerationID {
        let chance = UInt16.random(in: 0 ... .max)
        return try self.state.withLock { state throws(CacheError) in
            guard !state.isClosed else { throw CacheError.closed(self.directory) }
            return state.sequence.next(at: now, chance: chance)
        }
    }

    /// Looks a resource up in the catalogue, while the index is not read to its end.
    ///
    /// - Throws: ``CacheError`` if the catalogue cannot be read.
    func learn(_ id: ResourceID) throws(CacheError) {
        guard self.state.withLock({ $0.mayLack(id) }), let known = try self.catalogue.known(id)
        else { return }
        self.state.withLock { $0.learned(known) }
    }

    /// Reads the whole index on the queue.
    func readIndex() {
        var known: [KnownGeneration]
        do throws(CacheError) {
            known = try self.catalogue.allKnown()
        } catch {
            // The next start compares the catalogue with the journals.
            self.state.withLock { $0.isCatalogueBehind = true }
            self.degraded(error)
            known = (try? self.files.rowsOfJournals())?.map { KnownGeneration($0) } ?? []
        }
        let newest = known.lazy.map(\.generation.rawValue).max() ?? 0
        // The state gets the only reference, so that it copies nothing under its lock.
        var index = Optional(ResourceIndex(known))
        known = []
        let isTooMuch = self.state.withLock { state in
            guard let whole = index.take() else { return false }
            state.completeIndex(whole, newest: GenerationID(rawValue: newest))
            return state.wants(.strict, at: self.now())
        }
        if isTooMuch { self.evict() }
    }

    /// Waits until the index has all resources; must not be called from the queue.
    func waitForIndex() {
        if self.state.withLock({ $0.isIndexPartial }) { self.work.perform {} }
    }

    /// Reads a generation from disk.
    ///
    /// - Parameters:
    ///   - key: the resource.
    ///   - id: the generation.
    ///   - now: the time of this use; `nil` if it does not count as a use.
    /// - Returns: the generation; `nil` if its files are unusable, in which case they are removed.
    /// - Throws: ``CacheError`` if the files cannot be read now; `closed` if the cache was closed meanwhile.
    func load(_ key: ResourceID, _ id: GenerationID, at now: Int64?) throws(CacheError)
        -> Generation?
    {
        switch self.files.read(key, id) {
        case .newer(let error):
            throw error
        case .failed(let error, let failure):
            if SystemErrors.isShortage(failure.errno) || SystemErrors.isRefusal(failure.errno) {
                throw error
            }
        case .sound(let journal, let file):
            if let generation = self.join(key, id, journal, file, at: now) { return generation }
        case .unprovable:
            break
        }
        // A closed cache takes no generation, and its files may have another owner.
        guard !self.state.withLock({ $0.isClosed }) else { throw CacheError.closed(self.directory) }
        self.drop(key, id)
        return nil
    }

    /// Makes a generation from a journal and uses it, unless another thread was faster.
    private func join(
        _ key: ResourceID,
        _ id: GenerationID,
        _ journal: Journal,
        _ file: StoredFile,
        at now: Int64?
    ) -> Generation? {
        var description = journal.header.description
        description.length = journal.length
        let generation = Generation(
            key,
            id,
            file: file,
            state: GenerationState(description: description, journal: journal),
            journal: self.files.journal(key, id, journal),
            cache: self
        )
        guard journal.hasUnprovenRuns else {
            return self.state.withLock { $0.join(generation, at: now) }
        }
        // The journal claims bytes past the file's end. Rewrite the journal, so that it does not
        // claim these bytes when the file grows again.
        return self.work.perform {
            guard !self.state.withLock({ $0.isClosed }) else { return nil }
            guard self.state.withLock({ $0.live[key] == nil }) else {
                return self.state.withLock { $0.join(generation, at: now) }
            }
            guard generation.rewriteJournal(self.files.disk) else { return nil }
            return self.state.withLock { $0.join(generation, at: now) }
        }
    }
}
