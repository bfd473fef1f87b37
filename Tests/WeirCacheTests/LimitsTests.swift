// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("Limits of the count, the age and the disk")
struct LimitsTests {
    private static func held(_ bench: CacheBench, _ numbers: Range<Int>) throws -> [Int] {
        let identifiers = Set(try bench.cache.resources().map(\.identifier))
        return numbers.filter { identifiers.contains(CacheBench.key($0).identifier) }
    }

    @Test("a number of resources: the least recently used are evicted, empty ones, too")
    func count() throws {
        let bench = try CacheBench(limits: CacheLimits(resourceCount: 3))
        try bench.keep(0, 0..<0, length: 10)
        for number in 1..<6 { try bench.keep(number, 0..<100) }
        bench.work.runAll()
        #expect(try Self.held(bench, 0..<6) == [3, 4, 5])
        bench.cache.limits.resourceCount = 1
        bench.work.runAll()
        #expect(try Self.held(bench, 0..<6) == [5])
        bench.cache.limits = CacheLimits()
        for number in 0..<3 { try bench.keep(number, 0..<100) }
        bench.work.runAll()
        #expect(try Self.held(bench, 0..<6) == [0, 1, 2, 5])
    }

    @Test("an age: resources unused for that long are evicted, the newest, too")
    func age() throws {
        let bench = try CacheBench(limits: CacheLimits(age: .seconds(60)))
        for number in 0..<3 { try bench.keep(number, 0..<100) }
        let user = try #require(try bench.cache.open(CacheBench.key(1)))
        bench.pass(.seconds(61))
        bench.cache.evictIfNeeded(.strict)
        bench.work.runAll()
        #expect(try Self.held(bench, 0..<3) == [1], "it is in use")
        user.release()
        bench.work.runAll()
        #expect(try Self.held(bench, 0..<3) == [1], "it was used just now")
        bench.pass(.seconds(61))
        try bench.keep(2, 0..<100)
        bench.work.runAll()
        #expect(try Self.held(bench, 0..<3) == [2])
        // A new start checks the age too.
        bench.cache.close()
        let again = try CacheBench(
            limits: CacheLimits(age: .seconds(60)),
            in: bench.directory,
            later: .seconds(600)
        )
        again.work.runAll()
        #expect(try Self.held(again, 0..<3).isEmpty)
    }

    @Test("free room on the disk: only as many bytes are evicted as are missing")
    func reserve() throws {
        let bench = try CacheBench(limits: CacheLimits(reserve: 1000))
        bench.files.pretendFree(5000)
        for number in 0..<5 { try bench.keep(number, 0..<100) }
        #expect(try Self.held(bench, 0..<5) == [0, 1, 2, 3, 4])
        bench.files.pretendFree(850)
        try bench.keep(5, 0..<100)
        bench.files.pretendFree(1050)
        // The new limit makes the cache check the free space again, as the next checkpoint does.
        bench.cache.limits.reserve = 1000
        bench.work.runAll()
        #expect(try Self.held(bench, 0..<6) == [2, 3, 4, 5])
        bench.files.fail(.look, "cache", with: 5)
        try bench.keep(6, 0..<100)
        bench.work.runAll()
        let last = try Self.held(bench, 0..<7)
        #expect(last == [2, 3, 4, 5, 6], "a disk that does not say is taken for roomy")
    }

    @Test("pinned resources stay under every limit, and count")
    func pins() throws {
        let bench = try CacheBench()
        for number in 0..<4 { try bench.keep(number, 0..<100) }
        #expect(try bench.cache.pin(identifier: CacheBench.key(0).identifier))
        #expect(try bench.cache.pin(identifier: CacheBench.key(1).identifier.uppercased()))
        #expect(try !bench.cache.pin(identifier: CacheBench.key(9).identifier))
        #expect(try !bench.cache.pin(identifier: "none"))
        bench.pass(.seconds(100))
        bench.cache.limits = CacheLimits(byteCount: 150, resourceCount: 1, age: .seconds(10))
        bench.work.runAll()
        #expect(try Self.held(bench, 0..<4) == [0, 1])
        #expect(try bench.cache.resources().allSatisfy(\.isPinned))
        try bench.cache.pin(identifier: CacheBench.key(0).identifier, false)
        bench.work.runAll()
        #expect(try Self.held(bench, 0..<4) == [1])
    }

    @Test(
        "a pin survives a kill, a lost catalogue, a compaction and a new version",
        arguments: [true, false]
    )
    func pinSurvives(losesCatalogue: Bool) throws {
        var bench = try CacheBench()
        try bench.keep(1, 0..<100)
        try bench.cache.pin(identifier: CacheBench.key().identifier)
        // A rewritten journal keeps the pin too.
        let generation = try #require(try bench.cache.open(CacheBench.key()))
        #expect(generation.rewriteJournal(bench.cache.files.disk))
        generation.release()
        bench.work.runAll()
        try bench.keep(1, 0..<50)
        let copy = try bench.copied()
        if losesCatalogue {
            for suffix in ["", "-wal", "-shm"] {
                try? bench.files.remove(copy.path(of: "cache/catalogue.sqlite" + suffix))
            }
        }
        bench = try CacheBench(limit: 0, in: copy)
        bench.work.runAll()
        let resources = try bench.cache.resources()
        #expect(resources.map(\.isPinned) == [true])
        #expect(resources.first?.heldByteCount == 50)
        try bench.cache.pin(identifier: CacheBench.key().identifier, false)
        bench = try CacheBench(in: bench.copied())
        #expect(try bench.cache.resources().map(\.isPinned) == [false])
    }

    @Test("the catalogue's log of changes is small even in comparison with a small limit")
    func catalogueLog() throws {
        let bench = try CacheBench()
        for number in 0..<500 {
            try bench.keep(number, 0..<10)
            bench.work.runAll()
        }
        let log = bench.cache.directory + "/catalogue.sqlite-wal"
        let size = try FileManager.default.attributesOfItem(atPath: log)[.size] as? Int
        #expect((size ?? .max) < 5 << 18)
    }
}
