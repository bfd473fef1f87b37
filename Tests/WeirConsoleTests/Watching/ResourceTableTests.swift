// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirSource
import WeirTestKit

@testable import WeirCache
@testable import WeirConsole

@Suite("The table of resources for pages")
struct ResourceTableTests {
    /// The table under test; every look-up finds its result.
    private struct Scene {
        var table = ResourceTable()
        /// The count of look-ups.
        var lookUps = 0

        /// Compares the entries, looks up all unknown entries, and applies the result.
        @discardableResult
        mutating func look(
            _ entries: [CacheSnapshot.Entry],
            limit: Int = .max,
            holding held: Range<Int64> = 0..<10
        ) -> (changed: [String], removed: [String]) {
            let difference = self.table.compare(entries, limit: limit)
            self.lookUps += difference.unknown.count
            let known = Dictionary(uniqueKeysWithValues: entries.map { ($0.id, $0) })
            let told = self.table.apply(
                difference,
                details: difference.unknown.compactMap {
                    known[$0].map(ResourceTableTests.details)
                },
                pieces: Dictionary(
                    uniqueKeysWithValues: difference.changed.map {
                        ($0.id, ResourceTableTests.pieces(held))
                    }
                )
            )
            return (told.changed.map(\.id), told.removed)
        }
    }

    private static func id(_ number: Int) -> ResourceID { ResourceID(high: UInt64(number), low: 7) }

    private static func name(_ number: Int) -> String { Self.id(number).description }

    private static func entry(
        _ number: Int,
        held: Int64 = 10,
        generation: UInt64 = 1,
        lastUse: Int64? = nil,
        isPinned: Bool = false,
        isOpen: Bool = false,
        revision: UInt64 = 0
    ) -> CacheSnapshot.Entry {
        CacheSnapshot.Entry(
            id: Self.id(number),
            generation: GenerationID(rawValue: generation),
            heldByteCount: held,
            lastUse: lastUse ?? Int64(1_000_000 - number),
            isPinned: isPinned,
            isOpen: isOpen,
            revision: revision
        )
    }

    private static func details(_ entry: CacheSnapshot.Entry) -> CachedResource {
        CachedResource(
            identifier: entry.id.description,
            generation: entry.generation,
            display: "https://example.org/\(entry.id).mp3",
            account: "anna",
            length: 100,
            heldByteCount: entry.heldByteCount,
            mediaType: .mpegAudio,
            name: "\(entry.generation)",
            lastUse: Date(timeIntervalSince1970: 0),
            created: Date(timeIntervalSince1970: 5),
            isPinned: false
        )
    }

    private static func pieces(_ held: Range<Int64>) -> CachedPieces {
        CachedPieces(held: RangeSet(held), verified: RangeSet(), damaged: RangeSet())
    }

    @Test("a new resource is sent once, with all its details")
    func new() throws {
        var scene = Scene()
        let entries = [Self.entry(1, isPinned: true), Self.entry(2, isOpen: true)]
        #expect(scene.look(entries) == ([1, 2].map(Self.name), []))
        #expect(scene.look(entries) == ([], []))
        #expect(scene.lookUps == 2)
        let first = try #require(scene.table.resources.first)
        #expect(first.id == Self.name(1))
        #expect(first.source == "https://example.org/\(Self.name(1)).mp3")
        #expect(first.account == "anna" && first.length == 100 && first.held == 10)
        #expect(first.type == "audio/mpeg" && first.pinned && !first.open)
        #expect(first.used == Date(timeIntervalSince1970: 999.999))
        #expect(first.created == Date(timeIntervalSince1970: 5))
        #expect(first.pieces == ConsoleState.Pieces(held: [[0, 10]], verified: [], bad: []))
        #expect(scene.table.details(of: Self.name(2))?.account == "anna")
        #expect(scene.table.details(of: "x") == nil)
    }

    @Test(
        "each change is sent, and costs no look-up of unchanged resources",
        arguments: [
            Self.entry(1, held: 11), Self.entry(1, isPinned: true), Self.entry(1, isOpen: true),
            Self.entry(1, lastUse: 5_000_000), Self.entry(1, isOpen: true, revision: 3),
        ]
    )
    func changes(entry: CacheSnapshot.Entry) {
        var scene = Scene()
        scene.look([Self.entry(1), Self.entry(2)])
        #expect(scene.look([entry, Self.entry(2)]) == ([Self.name(1)], []))
        #expect(scene.lookUps == 2)
        #expect(scene.look([entry, Self.entry(2)]) == ([], []))
    }

    @Test("a removed resource is sent once, and dropped")
    func removed() {
        var scene = Scene()
        scene.look((1...3).map { Self.entry($0) })
        #expect(scene.look([Self.entry(2)]).removed.sorted() == [1, 3].map(Self.name).sorted())
        #expect(scene.look([Self.entry(2)]) == ([], []))
        #expect(scene.table.resources.map(\.id) == [Self.name(2)])
        #expect(scene.table.details(of: Self.name(1)) == nil)
        #expect(scene.look([Self.entry(1), Self.entry(2)]).changed == [Self.name(1)])
    }

    @Test("a new generation is looked up completely")
    func generations() {
        var scene = Scene()
        scene.look([Self.entry(1)])
        scene.look([Self.entry(1, held: 4, generation: 2)], holding: 0..<4)
        #expect(scene.lookUps == 2)
        let resource = scene.table.resources.first
        #expect(resource?.generation == "\(GenerationID(rawValue: 2))")
        #expect(resource?.name == "\(GenerationID(rawValue: 2))")
        #expect(resource?.held == 4 && resource?.pieces?.held == [[0, 4]])
    }

    @Test("a failed look-up is not sent, and repeated")
    func missingDetails() {
        var table = ResourceTable()
        let entries = [Self.entry(1), Self.entry(2)]
        var difference = table.compare(entries)
        #expect(difference.unknown == [1, 2].map(Self.id))
        // The catalogue may describe the previous generation.
        let old = Self.details(Self.entry(2, generation: 9))
        let told = table.apply(
            difference,
            details: [Self.details(entries[0]), old],
            pieces: [:]
        )
        #expect(told.changed.map(\.id) == [Self.name(1)])
        #expect(table.resources.count == 1 && table.resources[0].pieces == nil)
        difference = table.compare(entries)
        #expect(difference.unknown == [Self.id(2)])
        // The table also asks again for the pieces that this look did not provide.
        #expect(difference.changed.map(\.id) == [1, 2].map(Self.id))
    }

    @Test("one look updates a limited number, the newest first, and the rest follows")
    func limit() {
        var scene = Scene()
        let entries = (0..<10).map { Self.entry($0) }
        #expect(scene.look(entries, limit: 4).changed == (0..<4).map(Self.name))
        #expect(scene.look(entries, limit: 4).changed == (4..<8).map(Self.name))
        #expect(scene.look(entries, limit: 4).changed == (8..<10).map(Self.name))
        #expect(scene.look(entries, limit: 4).changed.isEmpty)
        #expect(scene.lookUps == 10)
        #expect(scene.table.resources.map(\.id) == (0..<10).map(Self.name))
        // Removed resources do not count toward the limit.
        #expect(scene.look([], limit: 4).removed.count == 10)
    }

    @Test("by default a look has 250 changes, and 50 of resources that lack only pieces")
    func defaultLimits() {
        let entries = (0..<1000).map { Self.entry($0) }
        var table = ResourceTable()
        let difference = table.compare(entries)
        #expect(difference.changed.count == 250)
        _ = table.apply(difference, details: entries.map(Self.details), pieces: [:])
        let next = table.compare(Array(entries.prefix(250)))
        #expect(next.changed.map(\.id) == (0..<50).map(Self.id))
        #expect(next.unknown.isEmpty)
    }

    @Test("pieces that a look left out are looked up later")
    func stalePieces() {
        var table = ResourceTable()
        func look(_ entry: CacheSnapshot.Entry, _ pieces: [ResourceID: CachedPieces]) {
            let difference = table.compare([entry])
            _ = table.apply(difference, details: [Self.details(entry)], pieces: pieces)
        }
        look(Self.entry(1), [Self.id(1): Self.pieces(0..<10)])
        // The cache now holds more bytes. The limit of this look was used up, so there are no new pieces.
        let grown = Self.entry(1, held: 50)
        look(grown, [:])
        #expect(table.compare([grown]).changed.map(\.id) == [Self.id(1)])
        // The pieces of another generation do not apply at all.
        let other = Self.entry(1, held: 50, generation: 2)
        look(other, [:])
        #expect(table.resources.first?.pieces == nil)
    }

    @Test("where pieces are not looked up, a resource without them is sent once")
    func withoutPieces() {
        var table = ResourceTable()
        let entries = (0..<3).map { Self.entry($0) }
        let difference = table.compare(entries, lookingUpPieces: false)
        #expect(difference.changed.count == 3)
        _ = table.apply(difference, details: entries.map(Self.details), pieces: [:])
        #expect(table.compare(entries, lookingUpPieces: false).changed.isEmpty)
        #expect(table.compare(entries).changed.count == 3)
        #expect(
            table.lengths(of: difference)
                == Dictionary(
                    uniqueKeysWithValues: entries.map { ($0.id, 100) }
                )
        )
    }

    @Test("after random changes a page that applies them has the actual resources")
    func model() {
        for seed: UInt64 in 1...5 {
            var generator = SeededGenerator(seed: seed)
            var scene = Scene()
            var there: [Int: CacheSnapshot.Entry] = [:]
            var known = Set<String>()
            for round in 0..<200 {
                for _ in 0..<Int.random(in: 0...4, using: &generator) {
                    let number = Int.random(in: 0..<30, using: &generator)
                    there[number] =
                        Bool.random(using: &generator)
                        ? nil
                        : Self.entry(
                            number,
                            held: .random(in: 0..<20, using: &generator),
                            generation: .random(in: 1...2, using: &generator)
                        )
                }
                let entries = there.values.sorted { $0.lastUse > $1.lastUse }
                let told = scene.look(entries, limit: 5)
                known.subtract(told.removed)
                known.formUnion(told.changed)
                #expect(Set(told.changed).isDisjoint(with: told.removed))
                #expect(
                    known.isSubset(of: entries.map(\.id.description)),
                    "seed \(seed), round \(round)"
                )
            }
            let entries = there.values.sorted { $0.lastUse > $1.lastUse }
            for _ in 0..<30 { known.formUnion(scene.look(entries, limit: 5).changed) }
            #expect(known == Set(entries.map(\.id.description)), "seed \(seed)")
            #expect(scene.table.resources.map(\.held) == entries.map(\.heldByteCount))
        }
    }
}
