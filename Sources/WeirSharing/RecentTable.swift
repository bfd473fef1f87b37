// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Objects by their keys: those with other references, and the last 64 that were added.
package struct RecentTable<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    /// How many objects are kept without other references.
    private static var recentCount: Int { 64 }

    private var entries: [Key: Weak<Value>] = [:]
    private var recent: [Value] = []
    /// The number of entries at which released objects are removed, so that an addition is cheap in a large table.
    private var sweepCount = 128
    /// How many entries were checked for released objects.
    private(set) var lookedAt = 0

    /// An empty table.
    package init() {}

    /// Every object that still exists.
    package var all: [Value] { self.entries.values.compactMap(\.object) }

    /// The object of a key.
    package subscript(key: Key) -> Value? { self.entries[key]?.object }

    /// The number of entries, including those of released objects that are not removed yet.
    var count: Int { self.entries.count }

    /// Adds an object; removes the entries of released objects when the table has doubled.
    package mutating func add(_ value: Value, for key: Key) {
        self.recent.append(value)
        if self.recent.count > Self.recentCount { self.recent.removeFirst() }
        if self.entries.count >= self.sweepCount {
            self.lookedAt += self.entries.count
            self.entries = self.entries.filter { $0.value.object != nil }
            self.sweepCount = max(128, self.entries.count * 2)
        }
        self.entries[key] = Weak(value)
    }

    /// Removes an object, even if there are other references.
    package mutating func remove(_ value: Value, for key: Key) {
        if self.entries[key]?.object === value { self.entries[key] = nil }
        self.recent.removeAll { $0 === value }
    }
}
