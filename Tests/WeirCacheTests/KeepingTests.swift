// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("Keeping bytes")
struct KeepingTests {
    @Test(
        "bytes written in any order and in any pieces are held after a restart",
        arguments: [1, 2, 3, 4]
    )
    func model(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let length: Int64 = 100_000
        var bench = try CacheBench()
        let key = CacheBench.key()
        var model = RangeSet<Int64>()
        var generation = try bench.cache.create(
            key,
            description: ResourceDescription(length: length, validator: .revision("1")),
            persistent: true
        )
        for round in 0..<300 {
            switch Int.random(in: 0..<40, using: &generator) {
            case 0:
                generation.release()
                bench.cache.close()
                bench = try CacheBench(in: bench.directory)
                generation = try #require(try bench.cache.open(key))
            case 1:
                generation.release()
                bench.work.runAll()
                generation = try #require(try bench.cache.open(key))
            case 2:
                bench.work.advance(by: .milliseconds(500))
            default:
                let lower = Int64.random(in: 0..<length, using: &generator)
                let upper = min(length, lower + Int64.random(in: 1..<3000, using: &generator))
                try generation.write(pattern: lower..<upper)
                model.insert(contentsOf: lower..<upper)
            }
            #expect(generation.held == model, "seed \(seed), round \(round)")
            #expect(bench.cache.heldByteCount == model.byteCount)
        }
        #expect(try generation.firstWrongByte() == nil, "seed \(seed)")
    }

    @Test("a byte is readable the moment it is written, before any checkpoint")
    func readableAtOnce() throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 0..<0, length: 100, releasing: false)
        try generation.write(pattern: 10..<20)
        #expect(try generation.bytes(10..<20) == PatternBytes.bytes(in: 10..<20))
    }

    @Test("held bytes are never written again")
    func overlap() throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 10..<20, length: 100, releasing: false)
        let before = bench.files.events.count
        try generation.write(ByteMemory([UInt8](repeating: 0xEE, count: 40)), at: 0)
        #expect(try generation.bytes(10..<20) == PatternBytes.bytes(in: 10..<20))
        #expect(try generation.bytes(0..<10) == [UInt8](repeating: 0xEE, count: 10))
        #expect(try generation.bytes(20..<40) == [UInt8](repeating: 0xEE, count: 20))
        let writes = bench.files.events[before...].compactMap { event -> Range<Int64>? in
            if case .wrote(_, let range) = event { range } else { nil }
        }
        #expect(writes == [0..<10, 20..<40])
    }

    @Test("two writers of one hole write it once")
    func concurrentWriters() async throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 0..<0, length: 64 * 1024, releasing: false)
        let before = bench.files.events.count
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    for block in 0..<16 {
                        let lower = Int64(block) * 4096
                        try generation.write(pattern: lower..<(lower + 4096))
                    }
                }
            }
            try await group.waitForAll()
        }
        let written = bench.files.events[before...].reduce(into: Int64(0)) { sum, event in
            if case .wrote(_, let range) = event { sum += Int64(range.count) }
        }
        #expect(written == 64 * 1024)
        #expect(try generation.firstWrongByte() == nil)
    }

    @Test("bytes past the end are refused, and none of them is kept")
    func pastTheEnd() throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 0..<0, length: 100, releasing: false)
        let error = #expect(throws: CacheError.self) { try generation.write(pattern: 90..<101) }
        #expect(error?.code == .lengthConflict)
        #expect(generation.held.isEmpty)
        try generation.write(pattern: 90..<100)
        try generation.write(ByteMemory([]), at: 5000)
        #expect(generation.held == RangeSet([90..<100]))
    }

    @Test("offsets beyond any resource are refused")
    func absurdOffsets() throws {
        let bench = try CacheBench()
        let generation = try bench.cache.create(
            CacheBench.key(),
            description: ResourceDescription(length: nil),
            persistent: true
        )
        for offset in [-1, Int64.min, Int64.max] {
            let error = #expect(throws: CacheError.self) {
                try generation.write(ByteMemory([1]), at: offset)
            }
            #expect(error?.code == .lengthConflict)
        }
        #expect(generation.held.isEmpty)
    }

    @Test("a length is set once, and is known after a restart")
    func length() throws {
        var bench = try CacheBench()
        let key = CacheBench.key()
        let generation = try bench.cache.create(
            key,
            description: ResourceDescription(length: nil, validator: .revision("1")),
            persistent: true
        )
        try generation.write(pattern: 0..<50)
        #expect(generation.slice(.whole) == nil)
        #expect(throws: CacheError.self) { try generation.setLength(49) }
        try generation.setLength(70)
        try generation.setLength(70)
        let error = #expect(throws: CacheError.self) { try generation.setLength(71) }
        #expect(error?.code == .lengthConflict)
        #expect(throws: CacheError.self) { try generation.write(pattern: 60..<71) }
        bench.cache.close()
        bench = try CacheBench(in: bench.directory)
        let again = try #require(try bench.cache.open(key))
        #expect(again.description.length == 70)
        #expect(again.held == RangeSet([0..<50]))
    }

    @Test("a slice is the range's held beginning, with the whole description")
    func slices() throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 10..<20, length: 30, releasing: false)
        try generation.write(pattern: 25..<30)
        #expect(generation.slice(.from(10))?.range == 10..<20)
        #expect(generation.slice(.span(12..<15))?.range == 12..<15)
        #expect(generation.slice(.span(12..<1000))?.range == 12..<20)
        #expect(generation.slice(.suffix(5))?.range == 25..<30)
        #expect(generation.slice(.suffix(6)) == nil)
        #expect(generation.slice(.from(0)) == nil)
        #expect(generation.slice(.from(30)) == nil)
        #expect(generation.slice(.from(31)) == nil)
        #expect(generation.slice(.span(12..<12)) == nil)
        let slice = try #require(generation.slice(.from(12)))
        #expect(slice.fileOffset == 12)
        #expect(slice.resource == generation.description)
        #expect(slice.resource.generation == generation.id)
        #expect(slice.resource.length == 30)
        #expect(try slice.load().withUnsafeBytes { Array($0) } == PatternBytes.bytes(in: 12..<20))
    }

    @Test("a slice costs no call to the file system")
    func sliceCost() throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 0..<1000, releasing: false)
        bench.files.answer { call in
            Issue.record("a slice asked for \(call)")
            return .goesOn
        }
        for offset in 0..<Int64(1000) { #expect(generation.slice(.from(offset)) != nil) }
        bench.files.heal()
    }

    @Test("while the length is unknown, a slice is available by offset")
    func slicesWithoutLength() throws {
        let bench = try CacheBench()
        let generation = try bench.cache.create(
            CacheBench.key(),
            description: ResourceDescription(length: nil),
            persistent: true
        )
        try generation.write(pattern: 0..<50)
        let slice = try #require(generation.slice(at: 10, before: .max))
        #expect(slice.range == 10..<50)
        #expect(slice.resource.length == nil)
        #expect(generation.slice(at: 50, before: .max) == nil)
        #expect(generation.slice(at: -1, before: .max) == nil)
    }

    @Test("the description is complete after a restart")
    func description() throws {
        var bench = try CacheBench()
        let description = ResourceDescription(
            length: 70,
            mediaType: .flac,
            validator: .lastModified("Sun, 06 Nov 1994 08:49:37 GMT", length: 70),
            name: "Ünïcode \"x\".flac",
            acceptsRanges: true
        )
        let made = try bench.cache.create(
            CacheBench.key(),
            description: description,
            persistent: true
        )
        bench.cache.close()
        bench = try CacheBench(in: bench.directory)
        let again = try #require(try bench.cache.open(CacheBench.key()))
        var expected = description
        expected.generation = made.id
        #expect(again.description == expected)
        #expect(again.id == made.id)
    }

    @Test("a resource without a validator is shared, and removed with its last user")
    func withoutValidator() throws {
        let bench = try CacheBench()
        let key = CacheBench.key()
        let generation = try bench.cache.create(
            key,
            description: ResourceDescription(length: 100),
            persistent: false
        )
        try generation.write(pattern: 0..<100)
        bench.work.advance(by: .seconds(60))
        let second = try #require(try bench.cache.open(key))
        #expect(second === generation)
        #expect(bench.stored.count == 1)
        #expect(try bench.cache.resources().isEmpty)
        generation.release()
        bench.work.runAll()
        let slice = try #require(second.slice(.whole))
        second.release()
        bench.work.runAll()
        #expect(try bench.cache.open(key) == nil)
        #expect(bench.stored.isEmpty)
        #expect(bench.cache.heldByteCount == 0)
        #expect(try slice.load().count == 100)
    }

    @Test("a resource without a validator does not outlive the cache")
    func withoutValidatorAtClose() throws {
        var bench = try CacheBench()
        let generation = try bench.cache.create(
            CacheBench.key(),
            description: ResourceDescription(length: 100),
            persistent: false
        )
        try generation.write(pattern: 0..<100)
        bench.cache.close()
        #expect(bench.stored.isEmpty)
        bench = try CacheBench(in: bench.directory)
        #expect(try bench.cache.open(CacheBench.key()) == nil)
    }

    @Test("a zero-byte resource is kept like any other")
    func emptyResource() throws {
        var bench = try CacheBench()
        try bench.keep(1, 0..<0, length: 0)
        bench.cache.close()
        bench = try CacheBench(in: bench.directory)
        let again = try #require(try bench.cache.open(CacheBench.key()))
        #expect(again.description.length == 0)
        #expect(again.slice(.whole) == nil)
    }

    @Test("bytes past four GiB lie at their offset, and the file stays small")
    func sparse() throws {
        let bench = try CacheBench()
        let far: Int64 = 5 << 32
        let generation = try bench.keep(1, 0..<10, length: far + 100, releasing: false)
        try generation.write(pattern: far..<(far + 100))
        #expect(
            try generation.bytes(far..<(far + 100)) == PatternBytes.bytes(in: far..<(far + 100))
        )
        #expect(generation.heldByteCount == 110)
    }

    @Test("users share one generation, and the last release saves it")
    func users() throws {
        let bench = try CacheBench()
        let first = try bench.keep(1, 0..<0, length: 100, releasing: false)
        let second = try #require(try bench.cache.open(CacheBench.key()))
        #expect(first === second)
        try first.write(pattern: 0..<10)
        first.release()
        bench.work.runAll()
        #expect(!bench.files.events.contains { $0 == .synchronized("\(first.dataName)") })
        second.release()
        bench.work.runAll()
        #expect(bench.files.events.contains { $0 == .synchronized("\(first.dataName)") })
        second.release()
        second.release()
        bench.work.runAll()
        #expect(try bench.cache.open(CacheBench.key()) === first)
    }

    @Test("a closed cache refuses calls with an error, and its slices can still be read")
    func closed() async throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 0..<10, length: 20, releasing: false)
        let slice = try #require(generation.slice(.whole))
        bench.cache.close()
        bench.cache.close()
        func code(_ body: () throws -> Void) -> CacheError.Code? {
            do { try body() } catch { return (error as? CacheError)?.code }
            return nil
        }
        #expect(code { _ = try bench.cache.open(CacheBench.key()) } == .closed)
        #expect(
            code {
                _ = try bench.cache.create(
                    CacheBench.key(2),
                    description: ResourceDescription(length: 1),
                    persistent: true
                )
            } == .closed
        )
        #expect(code { try generation.write(pattern: 10..<20) } == .closed)
        #expect(code { _ = try bench.cache.resources() } == .closed)
        #expect(code { try bench.cache.remove(identifier: CacheBench.key().identifier) } == .closed)
        #expect(code { try bench.cache.removeAll() } == .closed)
        generation.release()
        bench.work.advance(by: .seconds(60))
        #expect(try slice.load().count == 10)
        #expect(bench.warnings.all.isEmpty)
    }

    @Test("a hundred thousand runs are written, read, saved and read again")
    func manyRuns() throws {
        var bench = try CacheBench()
        let length: Int64 = 400_000
        let generation = try bench.keep(1, 0..<0, length: length, releasing: false)
        var expected = RangeSet<Int64>()
        for number in 0..<Int64(100_000) {
            let lower = (number * 70_001 % 100_000) * 4
            try generation.write(ByteMemory([UInt8(truncatingIfNeeded: number)]), at: lower)
            expected.insert(contentsOf: lower..<(lower + 1))
        }
        #expect(generation.held == expected)
        bench.cache.close()
        bench = try CacheBench(in: bench.directory)
        let again = try #require(try bench.cache.open(CacheBench.key()))
        #expect(again.held == expected)
        #expect(try again.checkedSlice(at: 399_996, before: length)?.range == 399_996..<399_997)
    }
}

extension Generation {
    /// The name of the data file.
    var dataName: StoredFileName { StoredFileName(self.key, self.id, .data) }
    /// The name of the journal.
    var journalName: StoredFileName { StoredFileName(self.key, self.id, .journal) }
}
