// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

extension Cache {
    /// The cache's state in memory, guarded by the cache's lock.
    struct State: Sendable {
        /// How many unused generations stay open.
        static let idleLimit = 16
        /// How many times at most an eviction chooses again, because readers have used the chosen
        /// resources.
        private static let evictionLooks = 8
        /// How many generations may wait to be saved after their last user left.
        ///
        /// Beyond that, no file of another generation is opened or made.
        static let leavingLimit = 64
        /// How many generations may wait to be saved before fetches wait, too.
        static let mostLeaving = 1024

        var index = ResourceIndex()
        /// Whether a thread is still reading the list of resources, so that ``index`` has only those that were
        /// looked up by themselves.
        private(set) var isIndexPartial = false
        /// The resources that were removed from the partial index.
        private var removedEarly: Set<ResourceID> = []
        /// The resources that were used, and not only looked up, while the index was partial.
        private var usedEarly: Set<ResourceID> = []
        /// The generations in memory: those in use, those used last, and those that other code
        /// still holds.
        var live = LiveGenerations()
        /// The unused and durable generations of ``live``, the oldest first.
        var idle: [ResourceID] = []
        /// How many generations wait to be saved after their last user left.
        var leavingCount = 0
        var limits: CacheLimits
        /// How many bytes the disk had left at the last look.
        var freeByteCount = Int64.max
        var sequence: GenerationSequence
        /// Resources whose last use the catalogue does not have yet.
        var touched: Set<ResourceID> = []
        var isFlushDue = false
        var eviction = Eviction.none
        /// Whether the catalogue missed a change.
        var isCatalogueBehind = false
        var isDegraded = false
        var isClosed = false

        /// - Parameters:
        ///   - known: the resources, the least recently used first; `nil` if they are read later.
        ///   - limits: how much to hold.
        ///   - newest: the newest name of a generation that was found.
        init(_ known: [KnownGeneration]?, limits: CacheLimits, newest: GenerationID) {
            self.limits = limits
            self.sequence = GenerationSequence(after: newest.rawValue)
            self.isIndexPartial = known == nil
            for generation in known ?? [] { self.sequence.skip(generation.generation) }
            self.index = ResourceIndex(known ?? [])
        }

        /// Whether the partial index may lack a resource that the catalogue has.
        func mayLack(_ id: ResourceID) -> Bool {
            self.isIndexPartial && self.index[id] == nil && !self.removedEarly.contains(id)
        }

        /// Adds a resource that was looked up in the catalogue.
        mutating func learned(_ known: KnownGeneration) {
            guard self.mayLack(known.id) else { return }
            self.sequence.skip(known.generation)
            self.index.insert(ResourceIndex.Entry(known), at: known.lastUse)
        }

        /// Puts the partial index on top of the whole list of resources, as it was when it was read.
        mutating func completeIndex(_ whole: consuming ResourceIndex, newest: GenerationID) {
            guard self.isIndexPartial else { return }
            for id in self.removedEarly { whole.remove(id) }
            for entry in self.index.entries {
                if self.usedEarly.contains(entry.id) {
                    whole.insert(entry, at: entry.lastUse)
                } else {
                    // A resource that was only looked up keeps its place in the order.
                    whole.update(entry)
                }
            }
            self.index = whole
            self.sequence.skip(newest)
            self.isIndexPartial = false
            self.removedEarly = []
            self.usedEarly = []
        }

        /// The queued eviction.
        enum Eviction: Int {
            case none
            /// A use causes the eviction, and the most recently used resource stays, whatever its
            /// size.
            ///
            /// So a resource larger than the limit stays between two requests of its player.
            case sparingNewest
            /// The user has just set the limits or unpinned a resource, or the cache has just been
            /// opened.
            case strict
        }

        /// Where a resource is.
        enum Place {
            case closed
            case absent
            /// In memory; one more user was counted.
            case live(Generation)
            /// On disk.
            case stored(GenerationID)
        }

        /// A generation that lookups no longer find.
        struct Superseded: Sendable {
            let resource: ResourceID
            let generation: GenerationID
            /// How many bytes of it were held.
            let heldCount: Int64
            /// The generation itself, if it is open.
            let open: Generation?

            init(_ generation: Generation) {
                self.resource = generation.key
                self.generation = generation.id
                self.heldCount = generation.heldByteCount
                self.open = generation
            }

            init(_ entry: ResourceIndex.Entry, _ open: Generation?) {
                self.resource = entry.id
                self.generation = entry.generation
                self.heldCount = entry.heldCount
                self.open = open
            }
        }

        /// Finds a resource, and counts one more user if it is open.
        ///
        /// - Parameters:
        ///   - id: the resource.
        ///   - now: the time of this use; `nil` if it does not count as a use.
        /// - Returns: where it is.
        mutating func look(for id: ResourceID, at now: Int64?) -> Place {
            guard !self.isClosed else { return .closed }
            guard let entry = self.index[id] else { return .absent }
            guard let generation = self.live[id] else { return .stored(entry.generation) }
            self.use(id, at: now)
            return .live(generation)
        }

        /// Uses a generation that was read from disk, or the one that another thread read first.
        ///
        /// - Returns: the generation; `nil` if the resource was removed or superseded in the
        ///   meantime.
        mutating func join(_ generation: Generation, at now: Int64?) -> Generation? {
            guard !self.isClosed, let entry = self.index[generation.key],
                entry.generation == generation.id
            else { return nil }
            let known = self.live[generation.key] ?? generation
            if known === generation {
                self.live.keep(generation)
                self.index.addBytes(
                    generation.heldByteCount - entry.heldCount,
                    to: generation.key,
                    generation.id
                )
            }
            self.use(generation.key, at: now)
            return known
        }

        /// Adds a new generation, which replaces the resource's previous one.
        ///
        /// - Returns: the replaced generation, and whether the resource is pinned; `nil` if the
        ///   cache is closed.
        mutating func add(
            _ generation: Generation,
            _ entry: ResourceIndex.Entry,
            at now: Int64
        ) -> (superseded: Superseded?, isPinned: Bool)? {
            guard !self.isClosed else { return nil }
            var entry = entry
            entry.isPinned = self.index[entry.id]?.isPinned ?? false
            let superseded = self.remove(entry.id)
            self.index.insert(entry, at: now)
            if self.isIndexPartial { self.usedEarly.insert(entry.id) }
            self.live.keep(generation)
            generation.file.hold()
            self.touched.insert(entry.id)
            return (superseded, entry.isPinned)
        }

        /// Counts one user less.
        ///
        /// - Parameters:
        ///   - generation: the generation that the user leaves.
        ///   - now: the time of this use; `nil` if it does not count as a use.
        /// - Returns: whether it was the last user.
        mutating func leave(_ generation: Generation, at now: Int64?) -> Bool {
            let id = generation.key
            guard self.live[id] === generation, let users = self.index[id]?.users, users > 0 else {
                return false
            }
            self.index.addUsers(-1, to: id)
            self.touch(id, at: now)
            if users == 1 { self.leavingCount += 1 }
            return users == 1
        }

        /// Removes a resource from memory; its readers may finish.
        @discardableResult
        mutating func remove(_ id: ResourceID) -> Superseded? {
            if self.isIndexPartial { self.removedEarly.insert(id) }
            let generation = self.live.remove(id)
            generation?.removed()
            self.idle.removeAll { $0 == id }
            self.touched.remove(id)
            return self.index.remove(id).map { Superseded($0, generation) }
        }

        /// Removes a generation if it is its resource's current one.
        mutating func remove(_ generation: Generation, ifUnused: Bool = false) -> Superseded? {
            guard !self.isClosed, self.live[generation.key] === generation,
                !ifUnused || self.index[generation.key]?.users == 0
            else { return nil }
            return self.remove(generation.key)
        }

        /// The fate of an unused generation.
        enum Fate {
            /// It is used again, or lookups no longer find it.
            case stays
            /// It stays, and can be opened again.
            case kept
            /// Some bytes could not be written; the next reader loads the generation from disk.
            case failed
            /// It had no journal, and is removed.
            case gone
        }

        mutating func settle(_ generation: Generation) -> Fate {
            let id = generation.key
            self.leavingCount -= 1
            guard !self.isClosed, self.live[id] === generation, self.index[id]?.users == 0 else {
                return .stays
            }
            let (isPersistent, hasFailed, unsavedCount) = generation.state.withLock {
                ($0.isPersistent, $0.failure != nil, $0.unsavedCount + $0.coming)
            }
            guard isPersistent else {
                // Without a journal, the generation can be found through ``live`` only.
                if generation.isRetained, !hasFailed { return .kept }
                self.remove(id)
                return .gone
            }
            self.idle.removeAll { $0 == id }
            if hasFailed {
                // The next user starts from the durable bytes.
                self.live.remove(id)
                generation.removed()
                self.index.addBytes(-unsavedCount, to: id, generation.id)
                return .failed
            } else {
                self.idle.append(id)
                while self.idle.count > Self.idleLimit { self.live.letGo(self.idle.removeFirst()) }
            }
            return .kept
        }

        /// Removes the resources that exceed the limits.
        mutating func evict(at now: Int64) -> [Superseded] {
            let eviction = self.eviction
            self.eviction = .none
            guard !self.isClosed, eviction != .none else { return [] }
            let excess = self.excess(eviction, at: now)
            var victims = self.index.victims(excess)
            // A victim that was read since its recorded last use counts as used now, and the index
            // chooses again. After `evictionLooks` rounds, the last choice is evicted even if
            // readers use all resources. `newest` is touched last, so that it stays the newest.
            let newest = self.index.newest(1).map(\.id)
            for _ in 0..<Self.evictionLooks {
                let read = victims.filter { self.live[$0]?.takeRead() == true }
                guard !read.isEmpty else { break }
                for id in read + newest { self.touch(id, at: now) }
                victims = self.index.victims(excess)
            }
            return victims.compactMap { self.remove($0) }
        }

        /// Whether to queue an eviction.
        mutating func wants(_ eviction: Eviction, at now: Int64) -> Bool {
            guard !self.isClosed, !self.isIndexPartial, eviction.rawValue > self.eviction.rawValue,
                self.index.exceeds(self.excess(eviction, at: now))
            else { return false }
            let isNews = self.eviction == .none
            self.eviction = eviction
            return isNews
        }

        /// Translates the limits into an excess for the index.
        private func excess(_ eviction: Eviction, at now: Int64) -> ResourceIndex.Excess {
            var excess = ResourceIndex.Excess(sparesNewest: eviction == .sparingNewest)
            excess.byteLimit = self.limits.byteCount ?? .max
            excess.countLimit = self.limits.resourceCount ?? .max
            if let age = self.limits.age {
                let milliseconds = age.components.seconds.multipliedClamped(by: 1000)
                excess.oldest = now.subtractingClamped(milliseconds)
            }
            if let reserve = self.limits.reserve, self.freeByteCount < reserve {
                // Removing a resource frees as many bytes as the cache holds of it.
                let room = self.index.total.subtractingClamped(
                    reserve.subtractingClamped(self.freeByteCount)
                )
                excess.byteLimit = min(excess.byteLimit, max(0, room))
            }
            return excess
        }

        /// Whether to schedule a flush of last uses.
        mutating func wantsFlush() -> Bool {
            guard !self.touched.isEmpty, !self.isFlushDue, !self.isClosed else { return false }
            self.isFlushDue = true
            return true
        }

        /// Makes the row of a resource for the catalogue.
        ///
        /// - Parameters:
        ///   - id: the resource.
        ///   - isChanging: whether its journal is about to grow; `nil` leaves the mark as it is. A
        ///     resource that is used again keeps its mark, since its user may add bytes at once.
        /// - Returns: the row; `nil` if the resource was removed.
        mutating func update(of id: ResourceID, isChanging: Bool?) -> Catalogue.Update? {
            self.touched.remove(id)
            guard let entry = self.index[id] else { return nil }
            let mayChange = entry.users > 0 && !self.isClosed
            return Catalogue.Update(
                id: id,
                generation: entry.generation,
                heldCount: entry.heldCount,
                length: self.live[id]?.description.length,
                lastUse: entry.lastUse,
                confirmed: entry.confirmed,
                isChanging: isChanging == false && mayChange ? nil : isChanging
            )
        }

        /// Notes that bytes cannot be kept; returns whether the observer must be told.
        mutating func degrade() -> Bool {
            let isNews = !self.isDegraded
            self.isDegraded = true
            return isNews
        }

        /// Marks the cache as closed, and notes the last reads of the open generations.
        ///
        /// - Returns: the open generations; `nil` if the cache was closed already.
        mutating func close(at now: Int64) -> [Generation]? {
            guard !self.isClosed else { return nil }
            self.isClosed = true
            for generation in self.live.kept where generation.takeRead() {
                self.touch(generation.key, at: now)
            }
            return self.live.kept
        }

        private mutating func use(_ id: ResourceID, at now: Int64?) {
            if self.isIndexPartial, now != nil { self.usedEarly.insert(id) }
            self.index.addUsers(1, to: id)
            if let generation = self.live[id] {
                self.live.keep(generation)
                generation.file.hold()
            }
            self.touch(id, at: now)
            self.idle.removeAll { $0 == id }
        }

        private mutating func touch(_ id: ResourceID, at now: Int64?) {
            guard let now else { return }
            _ = self.live[id]?.takeRead()
            self.index.touch(id, at: now)
            self.touched.insert(id)
        }
    }
}
