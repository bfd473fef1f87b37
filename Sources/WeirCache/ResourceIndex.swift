// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// All resources of the cache in order of their last use, with their sizes: the basis of eviction.
///
/// Pure. 100,000 resources take about 10 MiB. Every operation but ``victims(_:)`` and the lists
/// takes constant time; ``victims(_:)`` takes time in proportion to the resources that it returns
/// and passes over.
struct ResourceIndex: Sendable {
    /// The known facts of a resource, from memory alone.
    struct Entry: Hashable, Sendable {
        let id: ResourceID
        /// The current generation; older ones are about to be removed.
        var generation: GenerationID
        /// How many bytes of it are held, including those being written.
        var heldCount: Int64
        /// Milliseconds since 1970; no two entries have the same time.
        var lastUse: Int64
        /// When the origin last confirmed this generation: milliseconds since 1970, 0 if unknown.
        var confirmed: Int64 = 0
        /// How many users hold it open.
        var users = 0
        /// Whether the user wants it kept, whatever the limits are.
        var isPinned = false
    }

    /// A place in the list from the least to the most recently used.
    private struct Node {
        var entry: Entry
        var older: Int32
        var newer: Int32
    }

    /// No place.
    private static let none: Int32 = -1

    /// How many bytes all resources hold.
    private(set) var total: Int64 = 0
    private var places: [ResourceID: Int32] = [:]
    private var nodes: [Node] = []
    private var free: [Int32] = []
    private var oldest = Self.none
    private var newest = Self.none

    /// An empty index.
    init() {}

    /// An index of known resources, the least recently used first.
    init(_ known: [KnownGeneration]) {
        self.places.reserveCapacity(known.count)
        self.nodes.reserveCapacity(known.count)
        for generation in known { self.insert(Entry(generation), at: generation.lastUse) }
    }

    /// How many resources there are.
    var count: Int { self.places.count }

    /// All entries, the least recently used first.
    var entries: [Entry] {
        var entries: [Entry] = []
        var place = self.oldest
        while place != Self.none {
            entries.append(self.nodes[Int(place)].entry)
            place = self.nodes[Int(place)].newer
        }
        return entries
    }

    /// The most recently used entries, the newest first.
    func newest(_ count: Int) -> [Entry] {
        var entries: [Entry] = []
        var place = self.newest
        while place != Self.none, entries.count < count {
            entries.append(self.nodes[Int(place)].entry)
            place = self.nodes[Int(place)].older
        }
        return entries
    }

    /// The entry of a resource.
    subscript(id: ResourceID) -> Entry? {
        self.places[id].map { self.nodes[Int($0)].entry }
    }

    /// Adds a resource as the most recently used one, in place of its previous entry.
    ///
    /// - Parameters:
    ///   - entry: the resource.
    ///   - now: milliseconds since 1970; increased if another entry is not older.
    /// - Returns: the previous entry.
    @discardableResult
    mutating func insert(_ entry: Entry, at now: Int64) -> Entry? {
        let previous = self.remove(entry.id)
        var entry = entry
        entry.lastUse = self.time(at: now)
        let place: Int32
        if let reused = self.free.popLast() {
            place = reused
            self.nodes[Int(place)] = Node(entry: entry, older: Self.none, newer: Self.none)
        } else {
            place = Int32(clamping: self.nodes.count)
            self.nodes.append(Node(entry: entry, older: Self.none, newer: Self.none))
        }
        self.places[entry.id] = place
        self.total = self.total.addingClamped(entry.heldCount)
        self.link(place)
        return previous
    }

    /// Removes a resource, and returns its entry.
    @discardableResult
    mutating func remove(_ id: ResourceID) -> Entry? {
        guard let place = self.places.removeValue(forKey: id) else { return nil }
        self.unlink(place)
        self.free.append(place)
        let entry = self.nodes[Int(place)].entry
        self.total = self.total.subtractingClamped(entry.heldCount)
        return entry
    }

    /// Replaces the facts of a resource, except for its place in the order and its last use.
    mutating func update(_ entry: Entry) {
        guard let place = self.places[entry.id] else { return }
        let former = self.nodes[Int(place)].entry
        self.nodes[Int(place)].entry = entry
        self.nodes[Int(place)].entry.lastUse = former.lastUse
        self.total = self.total.subtractingClamped(former.heldCount)
            .addingClamped(entry.heldCount)
    }

    /// Makes a resource the most recently used one.
    mutating func touch(_ id: ResourceID, at now: Int64) {
        guard let place = self.places[id] else { return }
        self.unlink(place)
        self.nodes[Int(place)].entry.lastUse = self.time(at: now)
        self.link(place)
    }

    /// Notes that the origin has confirmed a generation; does nothing if it is not the current one.
    mutating func confirm(_ id: ResourceID, _ generation: GenerationID, at now: Int64) {
        guard let place = self.places[id],
            self.nodes[Int(place)].entry.generation == generation
        else { return }
        self.nodes[Int(place)].entry.confirmed = now
    }

    /// Counts more users of a resource, or fewer.
    mutating func addUsers(_ count: Int, to id: ResourceID) {
        guard let place = self.places[id] else { return }
        let users = self.nodes[Int(place)].entry.users
        self.nodes[Int(place)].entry.users = max(0, users + count)
    }

    /// Adds bytes to a generation, or subtracts them; does nothing if it is not the current one.
    mutating func addBytes(_ count: Int64, to id: ResourceID, _ generation: GenerationID) {
        guard let place = self.places[id],
            self.nodes[Int(place)].entry.generation == generation
        else { return }
        let heldCount = self.nodes[Int(place)].entry.heldCount
        self.nodes[Int(place)].entry.heldCount = heldCount.addingClamped(count)
        self.total = self.total.addingClamped(count)
    }

    /// The limits that decide which resources to evict; by default, all resources may stay.
    struct Excess: Hashable, Sendable {
        /// How many bytes may stay.
        var byteLimit: Int64 = .max
        /// How many resources may stay.
        var countLimit = Int.max
        /// The oldest last use with which a resource may stay, in milliseconds since 1970.
        var oldest: Int64 = .min
        /// Whether the most recently used resource stays, unless it is too old.
        var sparesNewest = false
    }

    /// Whether a limit is exceeded, so that a resource may have to be evicted.
    func exceeds(_ excess: Excess) -> Bool {
        if self.total > excess.byteLimit || self.count > excess.countLimit { return true }
        guard self.oldest != Self.none else { return false }
        return self.nodes[Int(self.oldest)].entry.lastUse < excess.oldest
    }

    /// The resources to evict, the least recently used first; never one that is in use or pinned.
    ///
    /// Even after their removal, the cache may hold more than the limits allow.
    func victims(_ excess: Excess) -> [ResourceID] {
        var victims: [ResourceID] = []
        var bytes = self.total
        var count = self.count
        var place = self.oldest
        while place != Self.none {
            let node = self.nodes[Int(place)]
            let entry = node.entry
            let isOld = entry.lastUse < excess.oldest
            guard isOld || bytes > excess.byteLimit || count > excess.countLimit else { break }
            let isSpared =
                entry.users > 0 || entry.isPinned
                || (excess.sparesNewest && place == self.newest && !isOld)
            // Removing a resource that holds no bytes makes no room for bytes.
            let isUseful = isOld || count > excess.countLimit || entry.heldCount > 0
            if !isSpared, isUseful {
                victims.append(entry.id)
                bytes = bytes.subtractingClamped(entry.heldCount)
                count -= 1
            }
            place = node.newer
        }
        return victims
    }

    /// Notes whether the user wants a resource kept.
    mutating func pin(_ id: ResourceID, _ isPinned: Bool) {
        guard let place = self.places[id] else { return }
        self.nodes[Int(place)].entry.isPinned = isPinned
    }

    private func time(at now: Int64) -> Int64 {
        guard self.newest != Self.none else { return now }
        return max(now, self.nodes[Int(self.newest)].entry.lastUse.addingClamped(1))
    }

    private mutating func link(_ place: Int32) {
        self.nodes[Int(place)].older = self.newest
        self.nodes[Int(place)].newer = Self.none
        if self.newest == Self.none {
            self.oldest = place
        } else {
            self.nodes[Int(self.newest)].newer = place
        }
        self.newest = place
    }

    private mutating func unlink(_ place: Int32) {
        let node = self.nodes[Int(place)]
        if node.older == Self.none {
            self.oldest = node.newer
        } else {
            self.nodes[Int(node.older)].newer = node.newer
        }
        if node.newer == Self.none {
            self.newest = node.older
        } else {
            self.nodes[Int(node.newer)].older = node.older
        }
    }
}

extension ResourceIndex.Entry {
    /// The entry of an unused resource.
    init(_ known: KnownGeneration) {
        self.init(
            id: known.id,
            generation: known.generation,
            heldCount: known.heldCount,
            lastUse: known.lastUse,
            confirmed: known.confirmed,
            isPinned: known.isPinned
        )
    }
}

/// How much a cache may hold, and for how long.
///
/// The cache evicts the least recently used resources first, but never one that is in use or
/// pinned.
public struct CacheLimits: Hashable, Sendable {
    /// How many bytes to hold, including those being written; `nil` for any number.
    public var byteCount: Int64?
    /// How many resources to hold; `nil` for any number.
    public var resourceCount: Int?
    /// How long to hold an unused resource after its last use; `nil` for ever.
    public var age: Duration?
    /// How many bytes to leave free on the cache's disk; `nil` for none.
    public var reserve: Int64?

    /// Creates limits; without any, the cache holds everything.
    public init(
        byteCount: Int64? = nil,
        resourceCount: Int? = nil,
        age: Duration? = nil,
        reserve: Int64? = nil
    ) {
        self.byteCount = byteCount
        self.resourceCount = resourceCount
        self.age = age
        self.reserve = reserve
    }
}
