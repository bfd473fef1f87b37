// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The generations that are in memory, one of each resource.
///
/// The cache keeps some of them; of the others it knows for as long as somebody else does, so that nobody reads one
/// of them anew while it is there, and whoever holds it learns when it is removed.
struct LiveGenerations: Sendable {
    private struct Entry {
        weak var generation: Generation?
        /// The same, while the cache keeps it.
        var kept: Generation?
    }

    private var entries: [ResourceID: Entry] = [:]
    /// How many entries there may be before those are looked for whose generation has gone.
    private var limit = 64

    /// Those that the cache keeps.
    var kept: [Generation] { self.entries.values.compactMap(\.kept) }

    /// The generation of a resource, whoever holds it.
    subscript(id: ResourceID) -> Generation? { self.entries[id]?.generation }

    /// Keeps a generation in memory.
    mutating func keep(_ generation: Generation) {
        self.entries[generation.key] = Entry(generation: generation, kept: generation)
        guard self.entries.count > self.limit else { return }
        self.entries = self.entries.filter { $0.value.generation != nil }
        self.limit = max(64, 2 * self.entries.count)
    }

    /// Leaves a generation to those who hold it.
    mutating func letGo(_ id: ResourceID) {
        self.entries[id]?.kept = nil
    }

    /// Takes a generation out.
    @discardableResult
    mutating func remove(_ id: ResourceID) -> Generation? {
        self.entries.removeValue(forKey: id)?.generation
    }
}
