// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirSharing

@Suite("A table of objects that other code owns")
struct RecentTableTests {
    private final class Object: Sendable {}

    @Test("ten thousand objects that are in use stay in the table, and cost little each")
    func manyHeld() {
        var table = RecentTable<Int, Object>()
        let objects = (0..<10_000).map { _ in Object() }
        for (key, object) in objects.enumerated() { table.add(object, for: key) }
        let isThere = objects.enumerated().allSatisfy { table[$0.offset] === $0.element }
        #expect(isThere)
        #expect(table.all.count == 10_000)
        #expect(table.lookedAt < 20_000)
    }

    @Test("of unused objects the last 64 stay in the table, and the others take no room")
    func manyGone() {
        var table = RecentTable<Int, Object>()
        for key in 0..<10_000 {
            table.add(Object(), for: key)
            #expect(table.count <= 200)
        }
        #expect(table.all.count == 64)
        #expect(table[9_999 - 63] != nil)
        #expect(table[9_999 - 64] == nil)
        #expect(table.lookedAt < 40_000)
    }

    @Test(
        "an object that was removed is gone, and the last 64 others stay",
        arguments: [0, 1, 40, 63]
    )
    func removed(place: Int) throws {
        var table = RecentTable<Int, Object>()
        for key in 0..<100 { table.add(Object(), for: key) }
        let removed = 36 + place
        table.remove(try #require(table[removed]), for: removed)
        #expect(table[removed] == nil)
        #expect(table.all.count == 63)
        for key in 100..<150 {
            table.add(Object(), for: key)
            #expect(table.all.count == 64)
        }
        #expect((150 - 64..<150).filter { table[$0] == nil } == [removed].filter { $0 >= 150 - 64 })
    }
}
