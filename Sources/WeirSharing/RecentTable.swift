// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Objects by their keys: those with other references, and the last 64 that were added.
///
/// The methods are inlinable: without that, other modules look for the generic types at each call,
/// which takes longer than the call itself.
@usableFromInline
package struct RecentTable<Key: Hashable & Sendable, Value: AnyObject & Sendable>: Sendable {
    /// How many objects are kept without other references.
    @usableFromInline static var recentCount: Int { 64 }

    @usableFromInline var entries: [Key: Weak<Value>] = [:]
    @usableFromInline var recent: [Value] = []
    /// The place of the oldest object of a full ``recent``.
    @usableFromInline var oldest = 0
    /// The number of entries at which released objects are removed, so that an addition is cheap in a large table.
    @usableFromInline var sweepCount = 128
    /// How many entries were checked for released objects.
    @usableFromInline var lookedAt = 0

    /// An empty table.
    package init() {}

    /// Every object that still exists.
    package var all: [Value] { self.entries.values.compactMap(\.object) }

    /// The object of a key.
    @inlinable
    package subscript(key: Key) -> Value? { self.entries[key]?.object }

    /// The number of entries, including those of released objects that are not removed yet.
    var count: Int { self.entries.count }

    /// Adds an object; removes the entries of released objects when the table has doubled.
    @inlinable
    package mutating func add(_ value: Value, for key: Key) {
        if self.recent.count < Self.recentCount {
            self.recent.append(value)
        } else {
            self.recent[self.oldest] = value
            self.oldest = (self.oldest + 1) % Self.recentCount
        }
        if self.entries.count >= self.sweepCount {
            self.lookedAt += self.entries.count
            self.entries = self.entries.filter { $0.value.object != nil }
            self.sweepCount = max(128, self.entries.count * 2)
        }
        self.entries[key] = Weak(value)
    }

    /// Removes an object, even if there are other references.
    @inlinable
    package mutating func remove(_ value: Value, for key: Key) {
        if self.entries[key]?.object === value { self.entries[key] = nil }
        guard self.recent.contains(where: { $0 === value }) else { return }
        self.recent = Array(self.recent[self.oldest...] + self.recent[..<self.oldest])
        self.recent.removeAll { $0 === value }
        self.oldest = 0
    }
}
