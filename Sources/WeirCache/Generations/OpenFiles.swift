// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// The data files of a cache that are open, at most so many: those that were not used for the longest time are closed
/// first, and opened again when they are used.
///
/// A file with a slice in use, or with bytes that are not durable yet, stays open and counts; when these alone
/// are more than the bound, nothing else stays open.
final class OpenFiles: Sendable {
    /// How many descriptors are open.
    final class Count: Sendable {
        private let value = Atomic(0)

        /// How many there are now.
        var current: Int { self.value.load(ordering: .relaxed) }

        func opened() {
            self.value.wrappingAdd(1, ordering: .relaxed)
        }

        func closed() {
            self.value.wrappingSubtract(1, ordering: .relaxed)
        }
    }

    /// How many files may be open.
    let maximum: Int
    let count = Count()
    /// Counts uses, so that each has a number of its own.
    private let uses = Atomic<UInt64>(0)
    private let files = Mutex<[ObjectIdentifier: Weak<StoredFile>]>([:])

    /// - Parameter maximum: how many files may be open; 1 at the least.
    init(maximum: Int) {
        self.maximum = max(1, maximum)
    }

    /// The number of a use that happens now; later ones have larger numbers.
    var nextUse: UInt64 { self.uses.wrappingAdd(1, ordering: .relaxed).newValue }

    /// There is one more file that may be closed.
    func add(_ file: StoredFile) {
        self.files.withLock { $0[ObjectIdentifier(file)] = Weak(file) }
    }

    /// A file's generation is no longer there.
    func remove(_ identifier: ObjectIdentifier) {
        _ = self.files.withLock { $0.removeValue(forKey: identifier) }
    }

    /// Closes what was not used for the longest time, until the bound is kept.
    ///
    /// - Parameter used: what was opened just now, and stays.
    func trim(keeping used: StoredFile) {
        guard self.count.current > self.maximum else { return }
        let files = self.files.withLock { $0.values.compactMap(\.object) }
        for file in Self.order(files.map { ($0, $0.lastUse) }) where file !== used {
            guard self.count.current > self.maximum else { return }
            file.close()
        }
    }

    /// The least recently used first.
    private static func order(_ files: [(StoredFile, UInt64)]) -> [StoredFile] {
        files.sorted { $0.1 < $1.1 }.map(\.0)
    }
}

/// The generations that are in memory, one of each resource.
///
/// The cache keeps some of them; the others it knows for as long as other code holds them, so that none is read
/// anew while it is there, and its holder learns when it is removed.
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

    /// The generation of a resource, kept by the cache or not.
    subscript(id: ResourceID) -> Generation? { self.entries[id]?.generation }

    /// Keeps a generation in memory.
    mutating func keep(_ generation: Generation) {
        self.entries[generation.key] = Entry(generation: generation, kept: generation)
        guard self.entries.count > self.limit else { return }
        self.entries = self.entries.filter { $0.value.generation != nil }
        self.limit = max(64, 2 * self.entries.count)
    }

    /// Leaves a generation to its other holders.
    mutating func letGo(_ id: ResourceID) {
        self.entries[id]?.kept = nil
    }

    /// Takes a generation out.
    @discardableResult
    mutating func remove(_ id: ResourceID) -> Generation? {
        self.entries.removeValue(forKey: id)?.generation
    }
}
