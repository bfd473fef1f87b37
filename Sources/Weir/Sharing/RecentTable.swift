// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Objects that somebody still holds, and those used last.
struct RecentTable<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    private struct Entry: Sendable {
        weak var value: Value?
    }

    /// How many are kept though nobody else holds them.
    private static var recentCount: Int { 64 }

    private var entries: [Key: Entry] = [:]
    private var recent: [Value] = []

    /// Every object that is still there.
    var all: [Value] { self.entries.values.compactMap(\.value) }

    /// The object of a key.
    subscript(key: Key) -> Value? { self.entries[key]?.value }

    /// Remembers an object; forgets those that nobody holds.
    mutating func add(_ value: Value, for key: Key) {
        self.recent.append(value)
        if self.recent.count > Self.recentCount { self.recent.removeFirst() }
        self.entries = self.entries.filter { $0.value.value != nil }
        self.entries[key] = Entry(value: value)
    }

    /// Forgets an object, though others may hold it.
    mutating func remove(_ value: Value, for key: Key) {
        if self.entries[key]?.value === value { self.entries[key] = nil }
        self.recent.removeAll { $0 === value }
    }
}
