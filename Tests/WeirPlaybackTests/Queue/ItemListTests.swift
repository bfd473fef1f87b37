// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirPlayback

@Suite("The list of items")
struct ItemListTests {
    private static func item(_ name: String?) -> PlayerItem {
        PlayerItem(MemorySource(bytes: []), name: name)
    }

    private static func list(_ names: String?...) -> ItemList {
        var list = ItemList()
        list.replace(with: names.map(self.item))
        return list
    }

    @Test("an item without a name has its number as its name, until a name is found")
    func names() {
        var list = Self.list("a", nil, nil)
        #expect(list.names == ["a", "Item 2", "Item 3"])
        list.found("song.mp3", of: list.entries[2].id)
        #expect(list.names == ["a", "Item 2", "song.mp3"])
        list.found("other", of: list.entries[0].id)
        #expect(list.names == ["a", "Item 2", "song.mp3"])
        list.move(from: 2, to: 0)
        #expect(list.names == ["song.mp3", "a", "Item 3"])
    }

    @Test("every move in every list keeps the order of the others, and the item's number")
    func moves() {
        for count in 1...5 {
            for from in 0..<count {
                for to in 0..<count {
                    var list = ItemList()
                    list.replace(with: (0..<count).map { Self.item("\($0)") })
                    let id = list.entries[from].id
                    list.move(from: from, to: to)
                    #expect(list.index(of: id) == to)
                    let others = list.names.filter { $0 != "\(from)" }
                    #expect(others == (0..<count).filter { $0 != from }.map { "\($0)" })
                }
            }
        }
    }

    @Test("the successor of an item is found by its number, and a removed item has no successor")
    func successors() {
        var list = Self.list("a", "b")
        let (first, second) = (list.entries[0].id, list.entries[1].id)
        #expect(list.successor(of: first)?.id == second)
        #expect(list.successor(of: second) == nil)
        list.insert([Self.item("c")], at: 1)
        #expect(list.successor(of: first)?.name == "c")
        list.remove(at: 0)
        #expect(list.index(of: first) == nil)
        #expect(list.successor(of: first) == nil)
        list.replace(with: [Self.item("d")])
        #expect(list.index(of: second) == nil)
    }
}
