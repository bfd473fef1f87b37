// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirLive

/// Names an item of a player's queue for as long as it is in there, wherever it stands.
struct ItemID: Hashable, Sendable {
    let number: UInt64
}

/// The items of a player, in the order in which they are played: a pure value.
struct ItemList: Sendable {
    /// An item, and how it is called as far as known.
    struct Entry: Sendable {
        let id: ItemID
        let item: PlayerItem
        var name: String?
        /// What was learned of it.
        let memory = ItemMemory()
    }

    private(set) var entries: [Entry] = [] {
        didSet { self.names = Self.names(of: self.entries) }
    }
    /// How the items are called; one without a name is called by its place.
    private(set) var names: [String] = []
    private var lastNumber: UInt64 = 0

    var count: Int { self.entries.count }
    var isEmpty: Bool { self.entries.isEmpty }
    var indices: Range<Int> { self.entries.indices }

    /// Where an item stands; `nil` if it is not there any more.
    func index(of id: ItemID) -> Int? { self.entries.firstIndex { $0.id == id } }

    /// The item with a name; `nil` if it is not there any more.
    func entry(_ id: ItemID) -> Entry? { self.index(of: id).map { self.entries[$0] } }

    /// The item behind another; `nil` if there is none, or the other is not there any more.
    func successor(of id: ItemID) -> Entry? {
        guard let index = self.index(of: id), index + 1 < self.count else { return nil }
        return self.entries[index + 1]
    }

    /// Puts items in the place of all.
    mutating func replace(with items: [PlayerItem]) {
        self.entries = self.made(items)
    }

    /// Puts items in front of the one at an index; the count as an index is the end.
    mutating func insert(_ items: [PlayerItem], at index: Int) {
        self.entries.insert(contentsOf: self.made(items), at: index)
    }

    /// Removes an item.
    mutating func remove(at index: Int) {
        self.entries.remove(at: index)
    }

    /// Moves an item, which then stands at the other index.
    mutating func move(from index: Int, to target: Int) {
        var entries = self.entries
        entries.insert(entries.remove(at: index), at: target)
        self.entries = entries
    }

    /// What an item is called was found out.
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
    /// How it is called before it is opened; `nil` if only its bytes can tell.
    fileprivate var givenName: String? {
        if let name = self.name { return name }
        if case .station(let station) = self.content { return station.name }
        return nil
    }
}
