// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Objects by their keys: those that are still held elsewhere, and the last 64 that were added.
package struct RecentTable<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    /// How many are kept although nothing else holds them.
    private static var recentCount: Int { 64 }

    private var entries: [Key: Weak<Value>] = [:]
    private var recent: [Value] = []

    /// An empty table.
    package init() {}

    /// Every object that is still there.
    package var all: [Value] { self.entries.values.compactMap(\.object) }

    /// The object of a key.
    package subscript(key: Key) -> Value? { self.entries[key]?.object }

    /// Adds an object; forgets those that are gone.
    package mutating func add(_ value: Value, for key: Key) {
        self.recent.append(value)
        if self.recent.count > Self.recentCount { self.recent.removeFirst() }
        self.entries = self.entries.filter { $0.value.object != nil }
        self.entries[key] = Weak(value)
    }

    /// Forgets an object, although it may be held elsewhere.
    package mutating func remove(_ value: Value, for key: Key) {
        if self.entries[key]?.object === value { self.entries[key] = nil }
        self.recent.removeAll { $0 === value }
    }
}
