// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

extension Cache {
    /// What the cache knows without looking at the disk.
    ///
    /// Guarded by the cache's lock.
    struct State: Sendable {
        /// How many unused generations stay open.
        static let idleLimit = 16
        /// How often an eviction looks for others, since those that would go have been read.
        private static let evictionLooks = 8
        /// How many generations may wait to be saved after their last user left, before whoever
        /// opens or makes another waits, too.
        static let leavingLimit = 64

        var index = ResourceIndex()
        /// The generation of each resource that is in memory: those in use, the last that were, and those that
        /// other code still holds.
        var live = LiveGenerations()
        /// Those in ``live`` that are unused and durable, the oldest first.
        var idle: [ResourceID] = []
        /// How many generations wait to be saved after their last user left.
        var leavingCount = 0
        var limits: CacheLimits
        /// How many bytes the disk has left, when it was last looked at.
        var freeByteCount = Int64.max
        var sequence: GenerationSequence
        /// Resources whose last use the catalogue does not know yet.
        var touched: Set<ResourceID> = []
        var isFlushDue = false
        var eviction = Eviction.none
        /// Whether the catalogue missed a change.
        var isCatalogueBehind = false
        var isDegraded = false
        var isClosed = false

        init(_ known: [KnownGeneration], limits: CacheLimits, newest: GenerationID) {
            self.limits = limits
            self.sequence = GenerationSequence(after: newest.rawValue)
            for generation in known {
                self.sequence.skip(generation.generation)
                self.index.insert(
                    ResourceIndex.Entry(
                        id: generation.id,
                        generation: generation.generation,
                        heldCount: generation.heldCount,
                        lastUse: generation.lastUse,
                        confirmed: generation.confirmed,
                        isPinned: generation.isPinned
                    ),
                    at: generation.lastUse
                )
            }
        }

        /// The eviction that is on the queue.
        enum Eviction: Int {
            case none
            /// Something is used: what was used last stays, whatever its size is, so that a resource
            /// larger than the limit does not go between two requests of its player.
            case sparingNewest
            /// The limit is what the user said just now.
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

        /// A generation that is no longer found.
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
        ///   - now: when it is used; `nil` if that is to count as no use.
        /// - Returns: where it is.
        mutating func look(for id: ResourceID, at now: Int64?) -> Place {
            guard !self.isClosed else { return .closed }
            guard let entry = self.index[id] else { return .absent }
            guard let generation = self.live[id] else { return .stored(entry.generation) }
            self.use(id, at: now)
            return .live(generation)
        }

        /// A generation was read from disk: it is used, or the one that another thread read meanwhile.
        ///
        /// - Returns: `nil` if the resource was removed or superseded meanwhile.
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

        /// A generation was made, and replaces what there was.
        ///
        /// - Returns: what it replaces, and whether the resource is pinned; `nil` if the cache was closed meanwhile.
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
            self.live.keep(generation)
            generation.file.hold()
            self.touched.insert(entry.id)
            return (superseded, entry.isPinned)
        }

        /// A user left.
        ///
        /// - Parameters:
        ///   - generation: what it used.
        ///   - now: when; `nil` if that is to count as no use.
        /// - Returns: whether it was the last.
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

        /// A resource is no longer found; its readers may finish.
        @discardableResult
        mutating func remove(_ id: ResourceID) -> Superseded? {
            let generation = self.live.remove(id)
            generation?.removed()
            self.idle.removeAll { $0 == id }
            self.touched.remove(id)
            return self.index.remove(id).map { Superseded($0, generation) }
        }

        /// The same, if a generation is the one that counts.
        mutating func remove(_ generation: Generation, ifUnused: Bool = false) -> Superseded? {
            guard self.live[generation.key] === generation,
                !ifUnused || self.index[generation.key]?.users == 0
            else { return nil }
            return self.remove(generation.key)
        }

        /// What becomes of an unused generation.
        enum Fate {
            /// It is used again, or it is not found any more.
            case stays
            /// It stays, as far as it may be opened again.
            case kept
            /// Something of it could not be written: its next reader has it from the disk.
            case failed
            /// It had no journal, and goes.
            case gone
        }

        mutating func settle(_ generation: Generation) -> Fate {
            let id = generation.key
            self.leavingCount -= 1
            guard !self.isClosed, self.live[id] === generation, self.index[id]?.users == 0 else {
                return .stays
            }
            let (isPersistent, hasFailed, unsavedCount) = generation.state.withLock {
                ($0.isPersistent, $0.failure != nil, $0.unsavedCount)
            }
            guard isPersistent else {
                // Without a journal there is no other way to it than through ``live``.
                if generation.isKept, !hasFailed { return .kept }
                self.remove(id)
                return .gone
            }
            self.idle.removeAll { $0 == id }
            if hasFailed {
                // The next user starts from what is durable.
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

        /// What goes because too much is held, or for too long.
        mutating func evict(at now: Int64) -> [Superseded] {
            let eviction = self.eviction
            self.eviction = .none
            guard !self.isClosed, eviction != .none else { return [] }
            let excess = self.excess(eviction, at: now)
            var victims = self.index.victims(excess)
            // What has been read since its last use was noted is used, and others go in its place; where all are read all the
            // time, somebody's goes. What the cache saw used last stays behind them.
            let newest = self.index.newest(1).map(\.id)
            for _ in 0..<Self.evictionLooks {
                let read = victims.filter { self.live[$0]?.takeRead() == true }
                guard !read.isEmpty else { break }
                for id in read + newest { self.touch(id, at: now) }
                victims = self.index.victims(excess)
            }
            return victims.compactMap { self.remove($0) }
        }

        /// Whether an eviction is to be put on the queue.
        mutating func wants(_ eviction: Eviction, at now: Int64) -> Bool {
            guard !self.isClosed, eviction.rawValue > self.eviction.rawValue,
                self.index.exceeds(self.excess(eviction, at: now))
            else { return false }
            let isNews = self.eviction == .none
            self.eviction = eviction
            return isNews
        }

        /// What may stay.
        private func excess(_ eviction: Eviction, at now: Int64) -> ResourceIndex.Excess {
            var excess = ResourceIndex.Excess(sparesNewest: eviction == .sparingNewest)
            excess.byteLimit = self.limits.byteCount ?? .max
            excess.countLimit = self.limits.resourceCount ?? .max
            if let age = self.limits.age {
                let milliseconds = age.components.seconds.multipliedClamped(by: 1000)
                excess.oldest = now.subtractingClamped(milliseconds)
            }
            if let reserve = self.limits.reserve, self.freeByteCount < reserve {
                // What goes makes as much room as it holds.
                let room = self.index.total.subtractingClamped(
                    reserve.subtractingClamped(self.freeByteCount)
                )
                excess.byteLimit = min(excess.byteLimit, max(0, room))
            }
            return excess
        }

        /// Whether last uses are to be written down after a while.
        mutating func wantsFlush() -> Bool {
            guard !self.touched.isEmpty, !self.isFlushDue, !self.isClosed else { return false }
            self.isFlushDue = true
            return true
        }

        /// Whether the observer does not know yet that bytes cannot be kept.
        mutating func degrade() -> Bool {
            let isNews = !self.isDegraded
            self.isDegraded = true
            return isNews
        }

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
