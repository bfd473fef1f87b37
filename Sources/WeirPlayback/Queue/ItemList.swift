// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirLive

/// Identifies an item of a player's queue as long as it is in the queue, at any place.
struct ItemID: Hashable, Sendable {
    let number: UInt64
}

/// The items of a player, in the order in which they are played: a pure value.
struct ItemList: Sendable {
    /// An item, with its name as far as it is known.
    struct Entry: Sendable {
        let id: ItemID
        let item: PlayerItem
        var name: String?
        /// The facts learned about it.
        let memory = ItemMemory()
    }

    private(set) var entries: [Entry] = [] {
        didSet { self.names = Self.names(of: self.entries) }
    }
    /// The names of the items; an item without a name is named after its place.
    private(set) var names: [String] = []
    private var lastNumber: UInt64 = 0

    var count: Int { self.entries.count }
    var isEmpty: Bool { self.entries.isEmpty }
    var indices: Range<Int> { self.entries.indices }

    /// The index of an item; `nil` if it is no longer in the list.
    func index(of id: ItemID) -> Int? { self.entries.firstIndex { $0.id == id } }

    /// The entry of an item; `nil` if it is no longer in the list.
    func entry(_ id: ItemID) -> Entry? { self.index(of: id).map { self.entries[$0] } }

    /// The item after another; `nil` if there is none, or if the other is no longer in the list.
    func successor(of id: ItemID) -> Entry? {
        guard let index = self.index(of: id), index + 1 < self.count else { return nil }
        return self.entries[index + 1]
    }

    /// Replaces all items.
    mutating func replace(with items: [PlayerItem]) {
        self.entries = self.made(items)
    }

    /// Inserts items before an index; the count as an index means the end.
    mutating func insert(_ items: [PlayerItem], at index: Int) {
        self.entries.insert(contentsOf: self.made(items), at: index)
    }

    /// Removes an item.
    mutating func remove(at index: Int) {
        self.entries.remove(at: index)
    }

    /// Moves an item to another index.
    mutating func move(from index: Int, to target: Int) {
        var entries = self.entries
        entries.insert(entries.remove(at: index), at: target)
        self.entries = entries
    }

    /// Records a name from an item's source.
    mutating func found(_ name: String, of id: ItemID) {
        guard let index = self.index(of: id), self.entries[index].name == nil else { return }
        self.entries[index].name = name
    }

    private mutating func made(_ items: [PlayerItem]) -> [Entry] {
        items.map { item in
            self.lastNumber += 1
            return Entry(id: ItemID(number: self.lastNumber), item: item, name: item.givenName)
        }
    }

    private static func names(of entries: [Entry]) -> [String] {
        entries.enumerated().map { index, entry in entry.name ?? "Item \(index + 1)" }
    }
}

extension PlayerItem {
    /// Its name before it is opened; `nil` if only its source has the name.
    fileprivate var givenName: String? {
        if let name = self.name { return name }
        if case .station(let station) = self.content { return station.name }
        return nil
    }
}
