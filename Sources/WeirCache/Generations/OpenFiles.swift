// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// The open data files of a cache, up to a maximum number.
///
/// The least recently used files are closed first, and opened again when they are used. A file with
/// a slice in use, or with bytes that are not durable yet, stays open and counts. If such files
/// alone exceed the maximum, no other file stays open.
final class OpenFiles: Sendable {
    /// How many descriptors are open.
    final class Count: Sendable {
        private let value = Atomic(0)

        /// The current number.
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
    /// Counts uses, so that each has its own number.
    private let uses = Atomic<UInt64>(0)
    /// The files that may be closed; some of them are closed already.
    private let files = Mutex<[ObjectIdentifier: Weak<StoredFile>]>([:])

    /// - Parameter maximum: how many files may be open; at least 1.
    init(maximum: Int) {
        self.maximum = max(1, maximum)
    }

    /// The number of a use that happens now; later uses have larger numbers.
    var nextUse: UInt64 { self.uses.wrappingAdd(1, ordering: .relaxed).newValue }

    /// Adds a file that was opened, and closes the least recently used ones if there are too many.
    ///
    /// An eighth of them is closed at a time, since finding them means looking at all.
    func opened(_ file: StoredFile) {
        self.files.withLock { $0[ObjectIdentifier(file)] = Weak(file) }
        guard self.count.current > self.maximum else { return }
        let enough = self.maximum - self.maximum / 8
        let others = self.files.withLock { $0.values.compactMap(\.object) }
        let oldest = others.map { ($0, $0.lastUse) }.sorted { $0.1 < $1.1 }.map(\.0)
        for closing in oldest where closing !== file {
            guard self.count.current > enough else { return }
            self.remove(ObjectIdentifier(closing))
            closing.close()
        }
    }

    /// Removes a file that is about to be closed.
    func remove(_ identifier: ObjectIdentifier) {
        _ = self.files.withLock { $0.removeValue(forKey: identifier) }
    }
}

/// The generations in memory, one of each resource.
///
/// The cache keeps some of them. It has weak references to the others, which other code holds. So a
/// generation is not loaded a second time while it is in memory, and its holders learn of its
/// removal.
struct LiveGenerations: Sendable {
    private struct Entry {
        weak var generation: Generation?
        /// The same generation, while the cache keeps it.
        var kept: Generation?
    }

    private var entries: [ResourceID: Entry] = [:]
    /// How many entries there may be before those without a generation are removed.
    private var limit = 64

    /// The generations that the cache keeps.
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

    /// Stops keeping a generation; its other holders may keep it in memory.
    mutating func letGo(_ id: ResourceID) {
        self.entries[id]?.kept = nil
    }

    /// Removes a generation.
    @discardableResult
    mutating func remove(_ id: ResourceID) -> Generation? {
        self.entries.removeValue(forKey: id)?.generation
    }
}
