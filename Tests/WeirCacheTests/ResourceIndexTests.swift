// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirCache

extension ResourceIndex {
    fileprivate func victims(downTo limit: Int64, sparingNewest: Bool) -> [ResourceID] {
        self.victims(Excess(byteLimit: limit, sparesNewest: sparingNewest))
    }
}

@Suite("The order of last use")
struct ResourceIndexTests {
    private static func id(_ number: Int) -> ResourceID {
        ResourceID(high: UInt64(number), low: 1)
    }

    private static func entry(_ number: Int, _ heldCount: Int64 = 10) -> ResourceIndex.Entry {
        ResourceIndex.Entry(
            id: Self.id(number),
            generation: GenerationID(rawValue: 1),
            heldCount: heldCount,
            lastUse: 0
        )
    }

    private static func index(_ numbers: Range<Int>) -> ResourceIndex {
        var index = ResourceIndex()
        for number in numbers { index.insert(Self.entry(number), at: 100) }
        return index
    }

    @Test("the least recently used entries are evicted first, and no more than necessary")
    func victims() {
        var index = Self.index(0..<5)
        index.touch(Self.id(0), at: 200)
        #expect(index.total == 50)
        #expect(index.victims(downTo: 50, sparingNewest: false).isEmpty)
        #expect(index.victims(downTo: 49, sparingNewest: false) == [Self.id(1)])
        #expect(index.victims(downTo: 30, sparingNewest: false) == [Self.id(1), Self.id(2)])
        #expect(index.victims(downTo: 0, sparingNewest: false) == [1, 2, 3, 4, 0].map(Self.id))
    }

    @Test("the newest entries come first, as many as asked for or as there are")
    func newest() {
        var index = Self.index(0..<5)
        index.touch(Self.id(1), at: 200)
        let all = [1, 4, 3, 2, 0].map(Self.id)
        for count in 0...7 {
            #expect(index.newest(count).map(\.id) == Array(all.prefix(count)), "\(count)")
        }
        #expect(index.newest(.max) == Array(index.entries.reversed()))
        _ = index.remove(Self.id(4))
        #expect(index.newest(2).map(\.id) == [1, 3].map(Self.id))
        #expect(ResourceIndex().newest(3).isEmpty)
    }

    @Test("entries in use or pinned are skipped")
    func kept() {
        var index = ResourceIndex()
        for number in 0..<4 {
            var entry = Self.entry(number)
            entry.isPinned = number == 1
            index.insert(entry, at: 1)
        }
        index.addUsers(1, to: Self.id(0))
        #expect(index.victims(downTo: 0, sparingNewest: false) == [Self.id(2), Self.id(3)])
        index.addUsers(-1, to: Self.id(0))
        #expect(
            index.victims(downTo: 0, sparingNewest: false) == [Self.id(0), Self.id(2), Self.id(3)]
        )
    }

    @Test("the newest entry can be spared")
    func sparingNewest() {
        let index = Self.index(0..<3)
        #expect(index.victims(downTo: 0, sparingNewest: true) == [Self.id(0), Self.id(1)])
        #expect(index.victims(downTo: 25, sparingNewest: true) == [Self.id(0)])
        #expect(ResourceIndex().victims(downTo: 0, sparingNewest: true).isEmpty)
    }

    @Test("bytes count only for the current generation")
    func bytes() {
        var index = Self.index(0..<1)
        index.addBytes(5, to: Self.id(0), GenerationID(rawValue: 1))
        index.addBytes(7, to: Self.id(0), GenerationID(rawValue: 2))
        index.addBytes(9, to: Self.id(1), GenerationID(rawValue: 1))
        #expect(index.total == 15)
        #expect(index[Self.id(0)]?.heldCount == 15)
    }

    @Test("no two last uses are the same, even when the clock stops or goes back")
    func times() {
        var index = Self.index(0..<3)
        index.touch(Self.id(1), at: 50)
        #expect(index.entries.map(\.lastUse) == [100, 102, 103])
    }

    @Test("the index agrees with a plain list over many random changes", arguments: [1, 2, 3, 4])
    func model(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var index = ResourceIndex()
        var model: [ResourceIndex.Entry] = []
        for round in 0..<1500 {
            let number = Int.random(in: 0..<20, using: &generator)
            let id = Self.id(number)
            let place = model.firstIndex { $0.id == id }
            switch Int.random(in: 0..<5, using: &generator) {
            case 0:
                let size = Int64.random(in: 0..<50, using: &generator)
                index.insert(Self.entry(number, size), at: 0)
                if let place { model.remove(at: place) }
                model.append(Self.entry(number, size))
            case 1:
                #expect((index.remove(id) != nil) == (place != nil))
                if let place { model.remove(at: place) }
            case 2:
                index.touch(id, at: 0)
                if let place { model.append(model.remove(at: place)) }
            case 3:
                let users = Bool.random(using: &generator) ? 1 : -1
                index.addUsers(users, to: id)
                if let place { model[place].users = max(0, model[place].users + users) }
            default:
                index.addBytes(3, to: id, GenerationID(rawValue: 1))
                if let place { model[place].heldCount += 3 }
            }
            #expect(index.entries.map(\.id) == model.map(\.id), "seed \(seed), round \(round)")
            #expect(index.entries.map(\.users) == model.map(\.users))
            #expect(index.total == model.reduce(0) { $0 + $1.heldCount })
            #expect(index.count == model.count)
            let limit = Int64.random(in: 0..<200, using: &generator)
            var rest = index.total
            var expected: [ResourceID] = []
            for entry in model where rest > limit && entry.users == 0 && entry.heldCount > 0 {
                expected.append(entry.id)
                rest -= entry.heldCount
            }
            #expect(
                index.victims(downTo: limit, sparingNewest: false) == expected,
                "seed \(seed), round \(round)"
            )
        }
    }
}
