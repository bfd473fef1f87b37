// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("A snapshot of a cache")
struct SnapshotTests {
    private static func id(_ number: Int) -> ResourceID { CacheBench.key(number).id }

    /// The entry of a resource; the test fails if the resource has no entry.
    private static func entry(_ bench: CacheBench, _ number: Int = 1) throws
        -> CacheSnapshot.Entry
    {
        try #require(bench.cache.snapshot(of: .max).entries.first { $0.id == Self.id(number) })
    }

    /// Changes a bit of the one data file.
    private static func rot(_ bench: CacheBench, at offset: UInt64) throws {
        let name = try #require(bench.fileNames.first { $0.hasSuffix(".data") })
        let file = try FileHandle(forUpdating: URL(filePath: "\(bench.cache.directory)/\(name)"))
        defer { try? file.close() }
        try file.seek(toOffset: offset)
        let byte = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: offset)
        try file.write(contentsOf: Data([byte ^ 8]))
    }

    /// A cache with one resource whose checksums have not been compared.
    private static func reopened(_ range: Range<Int64>) throws -> CacheBench {
        let first = try CacheBench()
        try first.keep(1, range)
        first.cache.close()
        return try CacheBench(in: first.directory)
    }

    // MARK: The whole cache

    @Test("the resources come in the order of their last use, as many as asked for")
    func order() async throws {
        let bench = try CacheBench(limits: CacheLimits(byteCount: 1 << 30, resourceCount: 9))
        for number in 1...4 { try bench.keep(number, 0..<Int64(number) * 100) }
        try #require(try bench.cache.open(CacheBench.key(2))).release()
        bench.work.runAll()
        let snapshot = bench.cache.snapshot(of: 3)
        #expect(snapshot.entries.map(\.id) == [2, 4, 3].map(Self.id))
        #expect(snapshot.entries.map(\.heldByteCount) == [200, 400, 300])
        #expect(snapshot.resourceCount == 4)
        #expect(snapshot.heldByteCount == 1000)
        #expect(snapshot.limits == CacheLimits(byteCount: 1 << 30, resourceCount: 9))
        #expect(try #require(snapshot.freeBytes) > 0)
        let uses = bench.cache.snapshot(of: .max).entries.map(\.lastUse)
        #expect(uses == uses.sorted(by: >) && Set(uses).count == 4)
        #expect(bench.cache.snapshot(of: 0).entries.isEmpty)
        #expect(bench.cache.snapshot(of: 0).resourceCount == 4)
    }

    @Test("the snapshot shows open and pinned resources")
    func marks() throws {
        let bench = try CacheBench()
        let open = try bench.keep(1, 0..<100, length: 1000, releasing: false)
        try bench.keep(2, 0..<100)
        #expect(try bench.cache.pin(identifier: CacheBench.key(2).identifier, true))
        #expect(try Self.entry(bench, 1).isOpen && !Self.entry(bench, 1).isPinned)
        #expect(try !Self.entry(bench, 2).isOpen && Self.entry(bench, 2).isPinned)
        #expect(try Self.entry(bench, 1).generation == open.id)
        open.release()
        bench.work.runAll()
        #expect(try !Self.entry(bench, 1).isOpen)
    }

    @Test("the revision grows only when bytes are written, compared or lost")
    func revisions() throws {
        let bench = try Self.reopened(0..<300_000)
        try Self.rot(bench, at: 70_000)
        let generation = try #require(try bench.cache.open(CacheBench.key()))
        var last = try Self.entry(bench).revision
        func grows(_ what: Comment, _ change: () throws -> Void) throws {
            try change()
            let next = try Self.entry(bench).revision
            #expect(next > last, what)
            last = next
        }
        try grows("compared") {
            let slice = try generation.checkedSlice(at: 0, before: 10)
            #expect(slice?.range == 0..<10)
        }
        #expect(try generation.checkedSlice(at: 5, before: 10)?.range == 5..<10)
        #expect(try Self.entry(bench).revision == last, "nothing new was compared")
        try grows("lost") {
            let slice = try generation.checkedSlice(at: 70_000, before: 70_010)
            #expect(slice == nil)
        }
        try grows("written") { try generation.write(pattern: 65_536..<131_072) }
        #expect(try Self.entry(bench).revision == last)
        generation.release()
    }

    @Test("evictions above the limit are reported with their byte count")
    func evictions() throws {
        let bench = try CacheBench(limit: 250)
        try bench.keep(1, 0..<100)
        try bench.keep(2, 0..<100)
        #expect(bench.evictions.all.isEmpty)
        try bench.keep(3, 0..<100)
        #expect(bench.evictions.all == [.init(resourceCount: 1, byteCount: 100)])
        bench.cache.limits = CacheLimits(byteCount: 0)
        bench.work.runAll()
        let all = bench.evictions.all
        #expect(
            all.reduce(0) { $0 + $1.resourceCount } == 3 - bench.cache.snapshot(of: 9).entries.count
        )
        #expect(all.allSatisfy { $0.resourceCount > 0 && $0.byteCount > 0 })
        let count = all.count
        _ = try bench.cache.remove(identifier: CacheBench.key(3).identifier)
        bench.work.runAll()
        #expect(bench.evictions.all.count == count, "a removal by hand is not an eviction")
    }

    // MARK: Pieces

    @Test("the pieces of an open resource are its held, compared and lost ranges")
    func openPieces() throws {
        let bench = try Self.reopened(0..<300_000)
        try Self.rot(bench, at: 70_000)
        let generation = try #require(try bench.cache.open(CacheBench.key()))
        let whole = RangeSet<Int64>(0..<300_000)
        #expect(
            bench.cache.pieces(of: Self.id(1))
                == CachedPieces(held: whole, verified: RangeSet(), damaged: RangeSet())
        )
        _ = try generation.checkedSlice(at: 0, before: 10)
        let sound = try #require(bench.cache.pieces(of: Self.id(1)))
        #expect(sound.verified.contains(0) && sound.verified.isSubset(of: sound.held))
        #expect(try generation.checkedSlice(at: 70_000, before: 70_010) == nil)
        let lost = try #require(bench.cache.pieces(of: Self.id(1)))
        #expect(lost.damaged == RangeSet(65_536..<131_072))
        #expect(lost.held == RangeSet([0..<65_536, 131_072..<300_000]))
        // The test fills the hole in two parts.
        try generation.write(pattern: 65_536..<100_000)
        let part = try #require(bench.cache.pieces(of: Self.id(1)))
        #expect(part.damaged == RangeSet(100_000..<131_072))
        #expect(part.verified.isSuperset(of: RangeSet(65_536..<100_000)))
        try generation.write(pattern: 100_000..<131_072)
        let healed = try #require(bench.cache.pieces(of: Self.id(1)))
        #expect(healed.damaged.isEmpty && healed.held == whole)
        generation.release()
    }

    @Test("the pieces of a closed resource come from its journal, without a use of it")
    func storedPieces() throws {
        let first = try CacheBench()
        let kept = try first.keep(1, 0..<100, length: 1000, releasing: false)
        try kept.write(pattern: 200..<300)
        kept.release()
        first.work.runAll()
        try first.keep(2, 0..<50)
        first.cache.close()
        let bench = try CacheBench(in: first.directory)
        let before = bench.cache.snapshot(of: 9).entries
        #expect(
            bench.cache.pieces(of: Self.id(1))
                == CachedPieces(
                    held: RangeSet([0..<100, 200..<300]),
                    verified: RangeSet(),
                    damaged: RangeSet()
                )
        )
        #expect(bench.cache.snapshot(of: 9).entries == before)
        #expect(bench.cache.openFileCount == 0)
        #expect(bench.cache.pieces(of: Self.id(7)) == nil)
    }

    @Test("a journal that cannot be read has no pieces")
    func unreadable() throws {
        let bench = try Self.reopened(0..<1000)
        bench.files.fail(.read, ".journal", with: EIO)
        #expect(bench.cache.pieces(of: Self.id(1)) == nil)
        bench.files.heal()
        #expect(bench.cache.pieces(of: Self.id(1))?.held == RangeSet(0..<1000))
    }

    @Test("resources are found by their identifiers, and removed ones are left out")
    func lookUp() throws {
        let bench = try CacheBench()
        for number in 1...3 { try bench.keep(number, 0..<Int64(number) * 10) }
        let found = try bench.cache.resources([3, 7, 1].map(Self.id))
        #expect(Set(found.map(\.display)) == Set([1, 3].map { "https://example.org/\($0).mp3" }))
        let listed = try bench.cache.resources().filter { $0.heldByteCount != 20 }
        #expect(Set(found) == Set(listed))
        #expect(try bench.cache.resources([]).isEmpty)
    }

    @Test("a new resource is found before its journal is written")
    func lookUpNew() throws {
        let bench = try CacheBench()
        let generation = try bench.cache.create(
            CacheBench.key(),
            description: ResourceDescription(length: 50, validator: .entityTag("\"1\"")),
            persistent: true
        )
        #expect(try bench.cache.resources([Self.id(1)]).map(\.generation) == [generation.id])
        generation.release()
    }

    // MARK: A whole resource

    @Test("a whole resource is read to its end, without a use of it")
    func reading() async throws {
        let bench = try Self.reopened(0..<2_500_000)
        try bench.keep(2, 0..<10)
        let before = bench.cache.snapshot(of: 9).entries.map(\.lastUse)
        let identifier = CacheBench.key().identifier
        for name in [identifier, identifier.uppercased()] {
            let reading = try #require(try bench.cache.reading(identifier: name))
            #expect(reading.resource.length == 2_500_000)
            #expect(reading.lowerBound == 0 && reading.upperBound == 2_500_000)
            var bytes: [UInt8] = []
            for try await chunk in reading {
                #expect(chunk.range.lowerBound == Int64(bytes.count))
                bytes += try chunk.bytes()
            }
            let isEqual = bytes == PatternBytes.bytes(in: 0..<2_500_000)
            #expect(isEqual)
        }
        bench.work.runAll()
        #expect(bench.cache.snapshot(of: 9).entries.map(\.lastUse) == before)
        #expect(bench.cache.snapshot(of: 9).entries.allSatisfy { !$0.isOpen })
    }

    @Test("a dropped reading releases its resource")
    func dropped() throws {
        let bench = try Self.reopened(0..<1000)
        do {
            let reading = try bench.cache.reading(identifier: CacheBench.key().identifier)
            #expect(reading != nil)
            #expect(try Self.entry(bench).isOpen)
        }
        bench.work.runAll()
        #expect(try !Self.entry(bench).isOpen)
    }

    @Test("an empty resource is read as empty")
    func empty() async throws {
        let bench = try CacheBench()
        try bench.keep(1, 0..<0, length: 0)
        let reading = try #require(
            try bench.cache.reading(identifier: CacheBench.key().identifier)
        )
        for try await _ in reading { Issue.record("there is no byte") }
    }

    @Test("a resource that is partly held, or has no known length, is refused and released")
    func incomplete() throws {
        let bench = try CacheBench()
        try bench.keep(1, 0..<100, length: 101)
        let endless = try bench.cache.create(
            CacheBench.key(2),
            description: ResourceDescription(length: nil, validator: .entityTag("\"2\"")),
            persistent: true
        )
        try endless.write(pattern: 0..<100)
        endless.release()
        bench.work.runAll()
        for number in [1, 2] {
            let error = #expect(throws: CacheError.self) {
                try bench.cache.reading(identifier: CacheBench.key(number).identifier)
            }
            #expect(error?.code == .incomplete)
        }
        bench.work.runAll()
        #expect(bench.cache.snapshot(of: 9).entries.allSatisfy { !$0.isOpen })
    }

    @Test(
        "an unknown identifier gives no reading",
        arguments: ["", "x", "../../etc/passwd", String(repeating: "0", count: 32), "\u{FFFD}"]
    )
    func unknown(name: String) throws {
        let bench = try CacheBench()
        try bench.keep(1, 0..<100)
        #expect(try bench.cache.reading(identifier: name) == nil)
    }

    @Test(
        "a resource that proves damaged ends its reading with an error, never wrong bytes"
    )
    func damaged() async throws {
        let bench = try Self.reopened(0..<3_000_000)
        try Self.rot(bench, at: 2_000_000)
        let reading = try #require(
            try bench.cache.reading(identifier: CacheBench.key().identifier)
        )
        var bytes: [UInt8] = []
        let error = await #expect(throws: CacheError.self) {
            for try await chunk in reading { bytes += try chunk.bytes() }
        }
        #expect(error?.code == .incomplete)
        #expect(bytes.count <= 2_000_000)
        let isPrefix = PatternBytes.bytes(in: 0..<3_000_000).starts(with: bytes)
        #expect(isPrefix)
        let pieces = try #require(bench.cache.pieces(of: Self.id(1)))
        #expect(pieces.damaged.contains(2_000_000))
    }
}
