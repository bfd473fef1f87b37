// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("The limit")
struct EvictionTests {
    private static func held(_ bench: CacheBench, _ numbers: Range<Int>) throws -> [Int] {
        let identifiers = Set(try bench.cache.resources().map(\.identifier))
        return numbers.filter { identifiers.contains(CacheBench.key($0).identifier) }
    }

    @Test("the least recently used resources are evicted until the limit holds")
    func leastRecentlyUsed() throws {
        let bench = try CacheBench(limit: 5000)
        for number in 0..<5 { try bench.keep(number, 0..<1000) }
        #expect(try Self.held(bench, 0..<10) == [0, 1, 2, 3, 4])
        try #require(try bench.cache.open(CacheBench.key(0))).release()
        try bench.keep(5, 0..<1500)
        #expect(try Self.held(bench, 0..<10) == [0, 3, 4, 5])
        #expect(bench.cache.heldByteCount == 4500)
        #expect(bench.stored.count == 8)
    }

    @Test("a read of an open generation's bytes counts as a use")
    func readOnly() throws {
        let bench = try CacheBench(limit: 5000)
        var generations: [Generation] = []
        for number in 0..<5 { generations.append(try bench.keep(number, 0..<1000)) }
        for number in [0, 1] { _ = try #require(generations[number].slice(.whole)) }
        try bench.keep(5, 0..<1000)
        #expect(try Self.held(bench, 0..<10) == [0, 1, 3, 4, 5])
        // A read counts as one use only, so a later eviction may remove resource 0.
        try bench.keep(6, 0..<3000)
        #expect(try Self.held(bench, 0..<10) == [1, 5, 6])
    }

    @Test("new bytes find room even if all resources are read all the time")
    func allRead() throws {
        let bench = try CacheBench(limit: 5000)
        var generations: [Generation] = []
        for number in 0..<5 { generations.append(try bench.keep(number, 0..<1000)) }
        for generation in generations { _ = try #require(generation.slice(.whole)) }
        try bench.keep(5, 0..<1000)
        #expect(try Self.held(bench, 0..<10).count == 5)
        #expect(bench.cache.heldByteCount <= 5000)
    }

    /// Earlier versions had one scope for all credentials without an account.
    @Test(
        "a resource that no request can find is evicted first, though it was used last",
        arguments: ["credential", "header:authorization", "user:anna"],
        [false, true]
    )
    func unfindable(account: String, isCatalogueLost: Bool) throws {
        let folder = TemporaryDirectory()
        let first = try CacheBench(in: folder)
        for number in 0..<3 { try first.keep(number, 0..<1000) }
        try first.keep(3, 0..<1000, account: account)
        first.cache.close()
        if isCatalogueLost {
            for suffix in ["", "-wal", "-shm"] {
                unlink(folder.path(of: "cache/catalogue.sqlite\(suffix)"))
            }
        }
        let second = try CacheBench(limit: 4000, in: folder, later: .seconds(1000))
        #expect(try second.cache.resources().count == 4)
        try second.keep(4, 0..<1000)
        #expect(try Self.held(second, 0..<10) == [0, 1, 2, 4])
        #expect(try second.cache.resources().allSatisfy { $0.account == "anna" })
    }

    @Test("bytes being written count at once")
    func whileWriting() throws {
        let bench = try CacheBench(limit: 1000)
        try bench.keep(0, 0..<600)
        let generation = try bench.keep(1, 0..<0, length: 5000, releasing: false)
        try generation.write(pattern: 0..<400)
        bench.work.runAll()
        #expect(try Self.held(bench, 0..<2) == [0, 1])
        try generation.write(pattern: 400..<401)
        bench.work.runAll()
        #expect(try Self.held(bench, 0..<2) == [1])
    }

    @Test("a resource larger than the limit can be written and read while it is in use")
    func largerThanTheLimit() throws {
        let bench = try CacheBench(limit: 1000)
        let generation = try bench.keep(0, 0..<5000, releasing: false)
        #expect(generation.isCurrent)
        #expect(try generation.firstWrongByte(seed: 0) == nil)
        generation.release()
        bench.work.advance(by: .seconds(60))
        #expect(try Self.held(bench, 0..<1) == [0])
        try bench.keep(1, 0..<10)
        #expect(try Self.held(bench, 0..<2) == [1])
    }

    @Test("a resource larger than the limit is not evicted by its own next user")
    func reopenedLargerThanTheLimit() throws {
        let bench = try CacheBench(limit: 1000)
        try bench.keep(0, 0..<5000)
        let again = try #require(try bench.cache.open(CacheBench.key(0)))
        bench.work.runAll()
        #expect(again.isCurrent)
        #expect(again.heldByteCount == 5000)
    }

    @Test("a pending eviction does not remove the resource that was used last")
    func releasedBeforeTheEviction() throws {
        let bench = try CacheBench(limit: 1000)
        let generation = try bench.keep(0, 0..<500, length: 5000, releasing: false)
        try generation.write(pattern: 500..<5000, seed: 0)
        generation.release()
        bench.work.runAll()
        #expect(try Self.held(bench, 0..<1) == [0])
    }

    @Test(
        "of two resources above the limit together, the first released is evicted when both are released"
    )
    func releasedOneAfterTheOther() throws {
        let bench = try CacheBench(limit: 1000)
        let one = try bench.keep(0, 0..<900, releasing: false)
        let two = try bench.keep(1, 0..<900, releasing: false)
        #expect(bench.cache.heldByteCount == 1800)
        one.release()
        bench.work.runAll()
        #expect(bench.cache.heldByteCount == 1800)
        two.release()
        bench.work.runAll()
        #expect(try Self.held(bench, 0..<2) == [1])
    }

    @Test("a reader of an evicted generation's slice goes on")
    func sliceOutlivesEviction() throws {
        let bench = try CacheBench(limit: 1000)
        let old = try bench.keep(0, 0..<900)
        let slice = try #require(old.slice(.whole))
        try bench.keep(1, 0..<900)
        #expect(bench.stored.count == 2)
        #expect(!old.isCurrent)
        #expect(
            try slice.load().withUnsafeBytes { Array($0) }
                == PatternBytes.bytes(in: 0..<900, seed: 0)
        )
    }

    @Test("the limit can be changed at any time")
    func changedLimit() throws {
        let bench = try CacheBench()
        for number in 0..<4 { try bench.keep(number, 0..<1000) }
        bench.cache.limits.byteCount = 2500
        bench.work.runAll()
        #expect(try Self.held(bench, 0..<4) == [2, 3])
        bench.cache.limits.byteCount = nil
        for number in 4..<8 { try bench.keep(number, 0..<1000) }
        #expect(try Self.held(bench, 0..<8) == [2, 3, 4, 5, 6, 7])
        bench.cache.limits.byteCount = 0
        bench.work.runAll()
        #expect(bench.stored.isEmpty)
    }

    @Test("the order of last use and the limit survive a restart", arguments: [true, false])
    func restart(isClosed: Bool) throws {
        var bench = try CacheBench()
        for number in 0..<4 { try bench.keep(number, 0..<1000) }
        try #require(try bench.cache.open(CacheBench.key(1))).release()
        bench.work.advance(by: .seconds(30))
        if isClosed { bench.cache.close() }
        bench = try CacheBench(limit: 2000, in: isClosed ? bench.directory : bench.copied())
        bench.work.runAll()
        #expect(try Self.held(bench, 0..<4) == [1, 3])
        #expect(bench.cache.heldByteCount == 2000)
    }

    @Test("reading costs no write: last uses are saved after half a minute, or at the end")
    func lazyTouches() throws {
        let bench = try CacheBench()
        for number in 0..<3 { try bench.keep(number, 0..<10) }
        bench.work.advance(by: .seconds(30))
        func order() throws -> [String] {
            try Cache.resources(inDirectory: bench.cache.directory).map(\.identifier)
        }
        let before = try order()
        #expect(before == [2, 1, 0].map { CacheBench.key($0).identifier })
        let generation = try #require(try bench.cache.open(CacheBench.key(0)))
        _ = generation.slice(.whole)
        bench.work.advance(by: .seconds(29))
        #expect(try order() == before)
        bench.work.advance(by: .seconds(1))
        #expect(try order() == [0, 2, 1].map { CacheBench.key($0).identifier })
    }

    @Test(
        "a random history keeps the total within the limit, or to the resources in use",
        arguments: [1, 2, 3]
    )
    func history(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let bench = try CacheBench(limit: 20_000)
        var used: [Int: Generation] = [:]
        for round in 0..<TestLength.short(100, long: 300) {
            let number = Int.random(in: 0..<12, using: &generator)
            if let generation = used[number] {
                if Bool.random(using: &generator) {
                    generation.release()
                    used[number] = nil
                } else {
                    let lower = Int64.random(in: 0..<9000, using: &generator)
                    try generation.write(pattern: lower..<lower + 1000, seed: UInt64(number))
                }
            } else if let generation = try bench.cache.open(CacheBench.key(number)) {
                used[number] = generation
            } else {
                used[number] = try bench.keep(number, 0..<500, length: 10_000, releasing: false)
            }
            bench.work.runAll()
            let inUse = used.values.reduce(Int64(0)) { $0 + $1.heldByteCount }
            #expect(bench.cache.heldByteCount >= inUse, "seed \(seed), round \(round)")
            let newest = bench.cache.state.withLock { $0.index.entries.last }
            let spared = newest.map { $0.users == 0 ? $0.heldCount : 0 } ?? 0
            #expect(bench.cache.heldByteCount <= max(20_000, inUse + spared), "seed \(seed)")
            for (number, generation) in used {
                #expect(generation.isCurrent)
                #expect(try generation.firstWrongByte(seed: UInt64(number)) == nil)
            }
        }
    }

    @Test("the number of open files is bounded, even when users come and go faster than the disk")
    func openFilesInAHurry() throws {
        let bench = try CacheBench()
        var most = 0
        for number in 0..<300 {
            let generation = try bench.cache.create(
                CacheBench.key(number),
                description: ResourceDescription(length: 10, validator: .revision("1")),
                persistent: true
            )
            try generation.accept(ByteMemory([7]), at: 0)
            generation.release()
            most = max(most, bench.files.openCount)
            // The disk makes the files of two generations while three come and go.
            for _ in 0..<2 { bench.work.runOne() }
            most = max(most, bench.files.openCount)
        }
        #expect(most <= Cache.State.leavingLimit + Cache.State.idleLimit + 1)
        #expect(most > Cache.State.idleLimit)
    }

    @Test("the number of open files is bounded, and idle files open again")
    func openFiles() throws {
        let bench = try CacheBench()
        for number in 0..<60 { try bench.keep(number, 0..<100) }
        #expect(bench.files.openCount == Cache.State.idleLimit + 1)
        for number in 0..<60 {
            let generation = try #require(try bench.cache.open(CacheBench.key(number)))
            #expect(generation.heldByteCount == 100)
            generation.release()
            bench.work.runAll()
        }
        #expect(bench.files.openCount == Cache.State.idleLimit + 1)
    }
}
