// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("Bit rot on the disk")
struct RotTests {
    /// The path of the one file with a suffix.
    private static func path(_ bench: CacheBench, _ suffix: String) throws -> String {
        let name = try #require(bench.fileNames.first { $0.hasSuffix(suffix) })
        return bench.cache.directory + "/" + name
    }

    /// Changes one bit of a file.
    private static func flip(_ path: String, _ place: Int, bit: UInt8 = 1) throws {
        let file = try FileHandle(forUpdating: URL(filePath: path))
        defer { try? file.close() }
        try file.seek(toOffset: UInt64(place))
        let byte = try #require(try file.read(upToCount: 1)?.first)
        try file.seek(toOffset: UInt64(place))
        try file.write(contentsOf: Data([byte ^ bit]))
    }

    /// A cache with one resource, closed and opened again.
    private static func reopened(_ range: Range<Int64>) throws -> CacheBench {
        let first = try CacheBench()
        try first.keep(1, range)
        first.cache.close()
        return try CacheBench(in: first.directory)
    }

    @Test("a changed bit makes a hole of its block, and of no other")
    func changedBit() throws {
        let bench = try Self.reopened(0..<300_000)
        try Self.flip(Self.path(bench, ".data"), 70_000)
        let generation = try #require(try bench.cache.open(CacheBench.key()))
        #expect(generation.heldByteCount == 300_000)
        #expect(generation.slice(.whole) == nil, "nothing was compared yet")
        #expect(try generation.checkedSlice(at: 0, before: 300_000)?.range == 0..<65_536)
        #expect(try generation.checkedSlice(at: 70_000, before: 300_000) == nil)
        #expect(generation.held == RangeSet([0..<65_536, 131_072..<300_000]))
        #expect(bench.cache.heldByteCount == 300_000 - 65_536)
        // The hole is filled again, and all bytes survive.
        try generation.write(pattern: 65_536..<131_072)
        #expect(try generation.firstWrongByte() == nil)
        generation.release()
        bench.work.runAll()
        bench.cache.close()
        let again = try CacheBench(in: bench.directory)
        let healed = try #require(try again.cache.open(CacheBench.key()))
        #expect(healed.held == RangeSet([0..<300_000]))
        #expect(try healed.firstWrongByte() == nil)
    }

    @Test(
        "a hole stays a hole after a kill, whether or not the journal recorded it",
        arguments: [true, false]
    )
    func killed(isTold: Bool) throws {
        let bench = try Self.reopened(0..<300_000)
        try Self.flip(Self.path(bench, ".data"), 70_000)
        let generation = try #require(try bench.cache.open(CacheBench.key()))
        #expect(try generation.checkedSlice(at: 70_000, before: 300_000) == nil)
        if isTold { bench.work.runAll() }
        let again = try CacheBench(in: bench.copied())
        let found = try #require(try again.cache.open(CacheBench.key()))
        #expect(found.holds(65_536..<131_072) != isTold)
        #expect(try found.checkedSlice(at: 70_000, before: 300_000) == nil)
        #expect(found.held == RangeSet([0..<65_536, 131_072..<300_000]))
    }

    @Test("a block is compared once, and not again by the same process")
    func once() throws {
        let bench = try Self.reopened(0..<300_000)
        let generation = try #require(try bench.cache.open(CacheBench.key()))
        #expect(try generation.firstWrongByte() == nil)
        #expect(try generation.check(0..<300_000, in: generation.openedFile()).compared == 0)
        #expect(generation.slice(.whole)?.range == 0..<300_000)
    }

    @Test("bytes that this process wrote need no comparison")
    func fresh() throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 0..<300_000, releasing: false)
        #expect(try generation.check(0..<300_000, in: generation.openedFile()).compared == 0)
        #expect(generation.slice(.whole)?.range == 0..<300_000)
    }

    @Test("a data file that is unreadable in parts, or was cut, holds its readable bytes")
    func unreadable() throws {
        let bench = try Self.reopened(0..<300_000)
        let generation = try #require(try bench.cache.open(CacheBench.key()))
        bench.files.fail(.read, ".data", with: EIO)
        #expect(try generation.checkedSlice(at: 0, before: 300_000) == nil)
        #expect(generation.held == RangeSet([65_536..<300_000]))
        bench.files.heal()
        #expect(
            try generation.checkedSlice(at: 200_000, before: 300_000)?.range.lowerBound == 200_000
        )
        let path = try Self.path(bench, ".data")
        #expect(truncate(path, 100_000) == 0)
        #expect(try generation.checkedSlice(at: 131_072, before: 300_000) == nil)
    }

    @Test("any changed bit of the data is noticed", arguments: [5])
    func anyBit(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let first = try CacheBench()
        let generation = try first.cache.create(
            CacheBench.key(),
            description: ResourceDescription(length: 300_000, validator: .entityTag("\"1\"")),
            persistent: true
        )
        // Runs that start and end at any offset, some within one block.
        let runs: [Range<Int64>] = [
            0..<10, 20..<21, 60_000..<140_000, 262_143..<262_145, 299_999..<300_000,
        ]
        for run in runs { try generation.write(pattern: run) }
        generation.release()
        first.work.runAll()
        first.cache.close()
        for _ in 0..<60 {
            let copy = try first.copied()
            let run = try #require(runs.randomElement(using: &generator))
            let place = Int64.random(in: run, using: &generator)
            let bench = try CacheBench(in: copy)
            try Self.flip(
                Self.path(bench, ".data"),
                Int(place),
                bit: 1 << UInt8.random(in: 0..<8, using: &generator)
            )
            let found = try #require(try bench.cache.open(CacheBench.key()))
            for run in runs { try found.check(run, in: found.openedFile()) }
            #expect(!found.holds(place..<place + 1), "seed \(seed), place \(place)")
            #expect(try found.firstWrongByte() == nil)
            #expect(found.heldByteCount >= 80_014 - 65_536)
        }
    }

    @Test(
        "any changed bit of the journal costs claims, and never gives a wrong byte",
        arguments: [6]
    )
    func journal(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let first = try CacheBench()
        let kept = try first.keep(1, 0..<100_000, length: 300_000, releasing: false)
        try kept.write(pattern: 150_000..<300_000)
        kept.release()
        first.work.runAll()
        first.cache.close()
        for _ in 0..<60 {
            let copy = try first.copied()
            let bench = try CacheBench(in: copy)
            let path = try Self.path(bench, ".journal")
            let size = try #require(
                try FileManager.default.attributesOfItem(atPath: path)[.size] as? Int
            )
            try Self.flip(
                path,
                .random(in: 0..<size, using: &generator),
                bit: 1 << UInt8.random(in: 0..<8, using: &generator)
            )
            // A file that is not a valid journal of this version gives no resource.
            guard let found = try? bench.cache.open(CacheBench.key()) else { continue }
            #expect(try found.firstWrongByte() == nil, "seed \(seed)")
        }
    }
}
