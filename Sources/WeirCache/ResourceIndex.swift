// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Every resource of the cache in order of its last use, with its size: what eviction decides on.
///
/// Pure. 100,000 resources take about 10 MiB; every operation but ``victims(_:)`` takes constant time,
/// and that one takes time in proportion to what it names and what it must pass over.
struct ResourceIndex: Sendable {
    /// What is known of a resource without looking at the disk.
    struct Entry: Hashable, Sendable {
        let id: ResourceID
        /// The generation that counts; older ones are on their way out.
        var generation: GenerationID
        /// How many bytes of it are held, those being written included.
        var heldCount: Int64
        /// Milliseconds since 1970; no two entries have the same.
        var lastUse: Int64
        /// When the origin last said that this is what it has: milliseconds since 1970, 0 if that is not known.
        var confirmed: Int64 = 0
        /// How many hold it open.
        var users = 0
        /// Whether the user wants it kept, whatever the limit is.
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

    /// How many bytes are held in all.
    private(set) var total: Int64 = 0
    private var places: [ResourceID: Int32] = [:]
    private var nodes: [Node] = []
    private var free: [Int32] = []
    private var oldest = Self.none
    private var newest = Self.none

    /// How many resources there are.
    var count: Int { self.places.count }

    /// All of them, the least recently used first.
    var entries: [Entry] {
        var entries: [Entry] = []
        var place = self.oldest
        while place != Self.none {
            entries.append(self.nodes[Int(place)].entry)
            place = self.nodes[Int(place)].newer
        }
        return entries
    }

    /// Those that were used last, the newest first.
    func newest(_ count: Int) -> [Entry] {
        var entries: [Entry] = []
        var place = self.newest
        while place != Self.none, entries.count < count {
            entries.append(self.nodes[Int(place)].entry)
            place = self.nodes[Int(place)].older
        }
        return entries
    }

    /// What is known of a resource.
    subscript(id: ResourceID) -> Entry? {
        self.places[id].map { self.nodes[Int($0)].entry }
    }

    /// Adds a resource as the most recently used, in place of what was known of it.
    ///
    /// - Parameters:
    ///   - entry: the resource.
    ///   - now: milliseconds since 1970; moved on if another entry is not older.
    /// - Returns: what was known.
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

    /// Takes a resource out.
    @discardableResult
    mutating func remove(_ id: ResourceID) -> Entry? {
        guard let place = self.places.removeValue(forKey: id) else { return nil }
        self.unlink(place)
        self.free.append(place)
        let entry = self.nodes[Int(place)].entry
        self.total = self.total.subtractingClamped(entry.heldCount)
        return entry
    }

    /// A resource was used: it is the most recently used one now.
    mutating func touch(_ id: ResourceID, at now: Int64) {
        guard let place = self.places[id] else { return }
        self.unlink(place)
        self.nodes[Int(place)].entry.lastUse = self.time(at: now)
        self.link(place)
    }

    /// The origin has said that a generation is what it has; nothing if it is not the one that counts.
    mutating func confirm(_ id: ResourceID, _ generation: GenerationID, at now: Int64) {
        guard let place = self.places[id],
            self.nodes[Int(place)].entry.generation == generation
        else { return }
        self.nodes[Int(place)].entry.confirmed = now
    }

    /// One more holds the resource open, or one fewer.
    mutating func addUsers(_ count: Int, to id: ResourceID) {
        guard let place = self.places[id] else { return }
        let users = self.nodes[Int(place)].entry.users
        self.nodes[Int(place)].entry.users = max(0, users + count)
    }

    /// Bytes were added to a generation, or given up; nothing if it is not the one that counts.
    mutating func addBytes(_ count: Int64, to id: ResourceID, _ generation: GenerationID) {
        guard let place = self.places[id],
            self.nodes[Int(place)].entry.generation == generation
        else { return }
        let heldCount = self.nodes[Int(place)].entry.heldCount
        self.nodes[Int(place)].entry.heldCount = heldCount.addingClamped(count)
        self.total = self.total.addingClamped(count)
    }

    /// What has to go: more than enough of any is more than there is to go.
    struct Excess: Hashable, Sendable {
        /// How many bytes may stay.
        var byteLimit: Int64 = .max
        /// How many resources may stay.
        var countLimit = Int.max
        /// What was last used before this moment goes, in milliseconds since 1970.
        var oldest: Int64 = .min
        /// Whether the one that was used last stays in any case but its age.
        var sparesNewest = false
    }

    /// Whether anything may have to go.
    func exceeds(_ excess: Excess) -> Bool {
        if self.total > excess.byteLimit || self.count > excess.countLimit { return true }
        guard self.oldest != Self.none else { return false }
        return self.nodes[Int(self.oldest)].entry.lastUse < excess.oldest
    }

    /// What must go: the least recently used first, none that is in use or pinned.
    ///
    /// Without them there may stay more than the limits allow.
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
            // What holds nothing makes no room for bytes.
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

    /// The user wants a resource kept, or no longer.
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

/// How much a cache may hold, and for how long.
///
/// Whatever goes, what was used longest ago goes first, and nothing that is in use or pinned.
public struct CacheLimits: Hashable, Sendable {
    /// How many bytes to hold, those being written included; `nil` for any number.
    public var byteCount: Int64?
    /// How many resources to hold; `nil` for any number.
    public var resourceCount: Int?
    /// How long to hold what is unused, since its last use; `nil` for ever.
    public var age: Duration?
    /// How many bytes to leave free on the disk that the cache is on; `nil` for none.
    public var reserve: Int64?

    /// Limits; without any, everything is held.
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
