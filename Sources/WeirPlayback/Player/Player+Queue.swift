// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension Player {
    /// The items, in the order in which they are played.
    public var items: [PlayerItem] { self.core.withStore { $0.items.entries.map(\.item) } }

    /// Adds items at the end of the queue; they follow the last playing item without a gap.
    ///
    /// This does not start playback: use ``start()`` for a player that has stopped.
    public func enqueue(_ items: [PlayerItem]) {
        self.core.change { $0.edit { $0.insert(items, at: $0.count) } }
    }

    /// Adds an item at the end of the queue.
    public func enqueue(_ item: PlayerItem) { self.enqueue([item]) }

    /// Adds items after the current one.
    public func playNext(_ items: [PlayerItem]) {
        self.core.change { store in
            let index = store.items.isEmpty ? 0 : min(store.index + 1, store.items.count)
            store.edit { $0.insert(items, at: index) }
        }
    }

    /// Adds an item after the current one.
    public func playNext(_ item: PlayerItem) { self.playNext([item]) }

    /// Removes an item.
    ///
    /// If it is the playing one, the next item begins; if there is no next item, the player stops.
    ///
    /// - Parameter index: from 0, as in the newest snapshot.
    /// - Returns: `false` if there is no such item.
    @discardableResult
    public func remove(at index: Int) -> Bool {
        self.core.change { store in
            guard store.items.indices.contains(index) else { return false }
            store.edit { $0.remove(at: index) }
            return true
        }
    }

    /// Moves an item to another place; a playing item continues.
    ///
    /// - Parameters:
    ///   - index: its current place, from 0.
    ///   - target: its new place.
    /// - Returns: `false` if there is no such place.
    @discardableResult
    public func move(from index: Int, to target: Int) -> Bool {
        self.core.change { store in
            guard store.items.indices.contains(index), store.items.indices.contains(target) else {
                return false
            }
            store.edit { $0.move(from: index, to: target) }
            return true
        }
    }
}
