// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import GRDB
import Synchronization
import Testing
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("A cache whose list of resources is still being read")
struct LateIndexTests {
    private static let length: Int64 = 1000

    /// A directory with closed resources, in the order of their numbers.
    private static func directory(_ numbers: ClosedRange<Int> = 1...4) throws -> TemporaryDirectory
    {
        let directory = TemporaryDirectory()
        let bench = try CacheBench(in: directory)
        for number in numbers { try bench.keep(number, 0..<Self.length, length: Self.length) }
        bench.cache.close()
        return directory
    }

    private static func bench(
        _ directory: TemporaryDirectory,
        limit: Int64? = nil
    ) throws -> CacheBench {
        try CacheBench(limit: limit, in: directory, knownAtOnce: 0, later: .seconds(60))
    }

    private static func numbers(_ bench: CacheBench) throws -> [String] {
        try bench.cache.resources().map {
            $0.display.split(separator: "/").last.map(String.init) ?? ""
        }
    }

    @Test("a resource is found and read before the list is read")
    func found() throws {
        let bench = try Self.bench(try Self.directory())
        #expect(bench.work.pendingCount == 1)
        let generation = try #require(try bench.cache.open(CacheBench.key(2)))
        #expect(try generation.firstWrongByte(seed: 2) == nil)
        #expect(bench.cache.holding(identifier: CacheBench.key(3).identifier)?.heldCount == 1000)
        #expect(bench.cache.pieces(of: CacheBench.key(1).id)?.held == RangeSet([0..<1000]))
        #expect(try bench.cache.open(CacheBench.key(9)) == nil)
        #expect(bench.work.pendingCount == 1, "nothing has waited for the list")
        generation.release()
        bench.work.runAll()
        // Only the opened resource was used.
        #expect(try Self.numbers(bench) == ["2.mp3", "4.mp3", "3.mp3", "1.mp3"])
        #expect(bench.cache.heldByteCount == 4000)
    }

    @Test("a resource in use stays in use when the list is read, and counts its new bytes")
    func inUse() throws {
        let bench = try Self.bench(try Self.directory(), limit: 2500)
        let old = try #require(try bench.cache.open(CacheBench.key(1)))
        let new = try bench.keep(7, 0..<500, length: Self.length, releasing: false)
        bench.work.runAll()
        // Of the others, the least recently used ones are evicted.
        #expect(try Self.numbers(bench) == ["7.mp3", "1.mp3", "4.mp3"])
        #expect(bench.cache.heldByteCount == 2500)
        try new.write(pattern: 500..<1000, seed: 7)
        bench.work.runAll()
        #expect(bench.cache.heldByteCount == 2000)
        #expect(old.isCurrent && new.isCurrent)
        old.release()
        new.release()
    }

    @Test("a new generation supersedes one that is not in the list yet")
    func superseded() throws {
        let directory = try Self.directory()
        let before = try Self.bench(directory)
        let first = try #require(try before.cache.open(CacheBench.key(2))).id
        before.cache.close()
        let bench = try Self.bench(directory)
        let new = try bench.keep(2, 0..<10, length: Self.length)
        #expect(new.id.rawValue > first.rawValue)
        bench.work.runAll()
        #expect(bench.stored.filter { $0.contains(first.description) }.isEmpty)
        #expect(bench.cache.heldByteCount == 3010)
        #expect(try bench.cache.open(CacheBench.key(2))?.id == new.id)
    }

    @Test("a removed resource does not come back with the list")
    func removed() throws {
        let bench = try Self.bench(try Self.directory())
        try bench.cache.discard(identifier: CacheBench.key(3).identifier)
        #expect(try bench.cache.open(CacheBench.key(3)) == nil)
        #expect(
            bench.work.pendingCount == 2,
            "the list and the removal have not waited for the disk"
        )
        bench.work.runAll()
        #expect(bench.stored.filter { $0.contains(CacheBench.key(3).identifier) }.isEmpty)
        #expect(try bench.cache.open(CacheBench.key(3)) == nil)
        #expect(bench.cache.heldByteCount == 3000)
        #expect(try bench.cache.remove(identifier: CacheBench.key(4).identifier))
        #expect(try Self.numbers(bench) == ["2.mp3", "1.mp3"])
    }

    @Test("if the list cannot be read, the journals replace it, and the limits apply")
    func unreadable() throws {
        let directory = try Self.directory()
        let database = try DatabaseQueue(path: directory.path(of: "cache/catalogue.sqlite"))
        let id = CacheBench.key(2).identifier
        try database.write {
            try $0.execute(
                sql: "UPDATE resource SET held = -1 WHERE identifier = ?",
                arguments: [id]
            )
        }
        try database.close()
        let bench = try Self.bench(directory, limit: 3500)
        bench.work.runAll()
        #expect(bench.cache.heldByteCount == 3000)
        #expect(bench.warnings.all.count == 1)
        #expect(try bench.cache.open(CacheBench.key(2))?.held == RangeSet([0..<1000]))
    }

    @Test(
        "a damaged value costs no more than its own resource, whatever its type",
        arguments: ["generation", "held", "last_use", "confirmed"]
    )
    func damaged(_ column: String) throws {
        for value in ["'x'", "x'00'", "1.5"] {
            let directory = try Self.directory()
            let database = try DatabaseQueue(path: directory.path(of: "cache/catalogue.sqlite"))
            try database.write {
                try $0.execute(
                    sql: "UPDATE resource SET \(column) = \(value) WHERE identifier = ?",
                    arguments: [CacheBench.key(2).identifier]
                )
            }
            try database.close()
            let bench = try Self.bench(directory)
            _ = try bench.cache.open(CacheBench.key(2))
            #expect(try bench.cache.open(CacheBench.key(3))?.held == RangeSet([0..<1000]))
            bench.work.runAll()
            #expect(try bench.cache.open(CacheBench.key(4))?.held == RangeSet([0..<1000]))
        }
    }

    @Test("a cache that is closed at once loses nothing")
    func closed() throws {
        let directory = try Self.directory()
        for _ in 0..<2 {
            let bench = try Self.bench(directory)
            try bench.cache.open(CacheBench.key(1))?.release()
            bench.cache.close()
        }
        let bench = try Self.bench(directory)
        #expect(try Self.numbers(bench).sorted() == ["1.mp3", "2.mp3", "3.mp3", "4.mp3"])
    }

    @Test("any order of uses and removals gives the same cache as one that knew the list at once")
    func sameAsAtOnce() throws {
        for seed in 0..<30 {
            var generator = SeededGenerator(seed: UInt64(seed))
            let steps = (0..<12).map { _ in
                (Int.random(in: 0..<5, using: &generator), Int.random(in: 1...6, using: &generator))
            }
            let readAt = Int.random(in: 0...12, using: &generator)
            let results = try [0, 1000].map { known -> [CachedResource] in
                let directory = try Self.directory()
                let bench = try CacheBench(in: directory, knownAtOnce: known, later: .seconds(60))
                for (index, (step, number)) in steps.enumerated() {
                    if index == readAt { bench.work.runAll() }
                    switch step {
                    case 0: try bench.cache.open(CacheBench.key(number))?.release()
                    case 1: try bench.keep(number, 0..<Int64(100 * number), length: Self.length)
                    case 2:
                        try bench.cache.open(CacheBench.key(number).id, isUse: false)?
                            .release(isUse: false)
                    case 3: _ = bench.cache.holding(identifier: CacheBench.key(number).identifier)
                    default:
                        try bench.cache.learn(CacheBench.key(number).id)
                        _ = bench.cache.state.withLock { $0.remove(CacheBench.key(number).id) }
                    }
                }
                return try bench.cache.resources()
            }
            func facts(_ resources: [CachedResource]) -> [String] {
                resources.map { "\($0.display) \($0.heldByteCount)" }
            }
            #expect(facts(results[0]) == facts(results[1]), "seed \(seed): \(steps), \(readAt)")
        }
    }
}
