// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Objects by their keys: those that are still held elsewhere, and the last 64 that were added.
package struct RecentTable<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    /// How many are kept although nothing else holds them.
    private static var recentCount: Int { 64 }

    private var entries: [Key: Weak<Value>] = [:]
    private var recent: [Value] = []
    /// With how many entries those that are gone are forgotten next: an addition costs the same in a large table.
    private var sweepCount = 128
    /// How many entries were looked at to find those that are gone.
    private(set) var lookedAt = 0

    /// An empty table.
    package init() {}

    /// Every object that is still there.
    package var all: [Value] { self.entries.values.compactMap(\.object) }

    /// The object of a key.
    package subscript(key: Key) -> Value? { self.entries[key]?.object }

    /// How many entries there are, with those that are gone and not forgotten yet.
    var count: Int { self.entries.count }

    /// Adds an object; those that are gone are forgotten when the table has doubled.
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

    /// Forgets an object, although it may be held elsewhere.
    package mutating func remove(_ value: Value, for key: Key) {
        if self.entries[key]?.object === value { self.entries[key] = nil }
        self.recent.removeAll { $0 === value }
    }
}
