// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("Accepted bytes are readable before the disk has them", .timeLimit(.minutes(1)))
struct AcceptedBytesTests {
    private static func made(_ bench: CacheBench, length: Int64 = 1000) throws -> Generation {
        try bench.cache.create(
            CacheBench.key(),
            description: ResourceDescription(length: length, validator: .entityTag("\"1\"")),
            persistent: true
        )
    }

    private static func accept(_ range: Range<Int64>, _ generation: Generation) throws {
        try generation.accept(ByteMemory(PatternBytes.bytes(in: range)), at: range.lowerBound)
    }

    private static func bytes(_ generation: Generation, _ range: Range<Int64>) throws -> [UInt8] {
        var bytes: [UInt8] = []
        var offset = range.lowerBound
        while offset < range.upperBound,
            let chunk = try generation.checkedChunk(at: offset, before: range.upperBound)
        {
            bytes += try chunk.bytes()
            offset = chunk.range.upperBound
        }
        return bytes
    }

    /// Waits for room for 5 s of a clock that is moved by hand, and returns what the wait threw.
    ///
    /// Runs `meanwhile` while the wait goes on, before time passes.
    private static func waitInVain(
        _ generation: Generation,
        meanwhile: () -> Void = {}
    ) async -> CacheError? {
        let clock = ManualClock()
        let waiting = Task { try await generation.waitForRoom(Timeline(clock)) }
        await clock.waitForSleepers(1)
        meanwhile()
        clock.advance(by: .seconds(5))
        return await #expect(throws: CacheError.self) { try await waiting.value }
    }

    @Test("a new generation and its first bytes need no operation of the disk")
    func withoutDisk() throws {
        let bench = try CacheBench()
        let count = bench.files.count
        let generation = try Self.made(bench)
        try Self.accept(100..<300, generation)
        #expect(bench.files.count == count)
        #expect(generation.held == RangeSet(100..<300) && generation.heldByteCount == 200)
        #expect(generation.holds(100..<300) && !generation.holds(99..<300))
        #expect(try Self.bytes(generation, 150..<300) == PatternBytes.bytes(in: 150..<300))
        #expect(generation.slice(.span(100..<300)) == nil)
        bench.work.runAll()
        #expect(generation.slice(.span(100..<300))?.range == 100..<300)
        #expect(try generation.firstWrongByte() == nil)
        bench.cache.close()
    }

    @Test("of bytes that come twice the first are kept, in each place of the second ones")
    func twice() throws {
        for start in Int64(0)..<9 {
            for end in (start + 1)...9 {
                for isWritten in [false, true] {
                    let bench = try CacheBench()
                    let generation = try Self.made(bench, length: 9)
                    try Self.accept(2..<4, generation)
                    if isWritten { bench.work.runAll() }
                    try Self.accept(6..<7, generation)
                    let other = [UInt8](repeating: 0xFF, count: Int(end - start))
                    try generation.accept(ByteMemory(other), at: start)
                    var expected = (Int64(0)..<9).map { start..<end ~= $0 ? UInt8(0xFF) : nil }
                    for range in [2..<4, 6..<7] {
                        for (index, byte) in zip(
                            range,
                            PatternBytes.bytes(
                                in: Int64(range.lowerBound)..<Int64(range.upperBound)
                            )
                        ) {
                            expected[index] = byte
                        }
                    }
                    for isAfter in [false, true] {
                        if isAfter { bench.work.runAll() }
                        for (index, byte) in expected.enumerated() {
                            let position = Int64(index)
                            let chunk = try generation.checkedChunk(
                                at: position,
                                before: position + 1
                            )
                            #expect(try chunk?.bytes() == byte.map { [$0] })
                        }
                    }
                    bench.cache.close()
                }
            }
        }
    }

    @Test(
        "a checkpoint, the last user's leaving and the end of the cache write them",
        arguments: 0..<3
    )
    func written(way: Int) async throws {
        let bench = try CacheBench()
        let generation = try Self.made(bench)
        try Self.accept(0..<1000, generation)
        switch way {
        case 0:
            async let saved: Void = generation.checkpoint()
            while generation.durable.isEmpty {
                bench.work.runAll()
                await Task.yield()
            }
            try await saved
        case 1:
            generation.release()
            bench.work.runAll()
        default: bench.cache.close()
        }
        let copy = try CacheBench(in: try bench.copied())
        let found = try copy.cache.open(CacheBench.key())
        #expect(found?.held == RangeSet(0..<1000))
        #expect(try found?.firstWrongByte() == nil)
        copy.cache.close()
        bench.cache.close()
    }

    @Test("after a failed write they stay readable in memory, and no further ones are taken")
    func failure() throws {
        let bench = try CacheBench()
        let generation = try Self.made(bench)
        try Self.accept(0..<10, generation)
        bench.work.runAll()
        bench.files.answer { $0.operation == .write ? .fails(5) : .goesOn }
        try Self.accept(10..<20, generation)
        bench.work.runAll()
        #expect(throws: CacheError.self) { try Self.accept(20..<30, generation) }
        #expect(try Self.bytes(generation, 0..<20) == PatternBytes.bytes(in: 0..<20))
        #expect(bench.warnings.all.count == 1)
        bench.files.answer { _ in .goesOn }
        generation.release()
        bench.work.runAll()
        let found = try #require(try bench.cache.open(CacheBench.key()))
        #expect(found.held == RangeSet(0..<10))
        bench.cache.close()
    }

    @Test("a generation that is removed before it has a file leaves none, and is read to its end")
    func removedFirst() throws {
        let bench = try CacheBench()
        let generation = try Self.made(bench)
        try Self.accept(0..<10, generation)
        try bench.cache.remove(identifier: CacheBench.key().identifier)
        bench.work.runAll()
        try Self.accept(10..<20, generation)
        bench.work.runAll()
        #expect(try Self.bytes(generation, 0..<20) == PatternBytes.bytes(in: 0..<20))
        #expect(bench.stored.isEmpty)
        bench.cache.close()
    }

    @Test("the name of a new folder is durable before a journal in it")
    func folder() throws {
        let bench = try CacheBench()
        _ = try Self.made(bench)
        bench.work.runAll()
        let log = bench.files.log
        let made = try #require(
            log.firstIndex { $0.operation == .createDirectory && $0.name.count == 2 }
        )
        let journal = try #require(log.firstIndex { $0.name.hasSuffix(".journal") })
        let parent = try #require(
            log[made...].firstIndex {
                $0.operation == .synchronize && $0.path == bench.cache.directory
            }
        )
        #expect(made < parent && parent < journal)
        bench.cache.close()
    }

    @Test("they count as held at once, and no longer when their file could not be made")
    func counted() throws {
        let bench = try CacheBench(limit: 100)
        let generation = try Self.made(bench)
        try Self.accept(0..<80, generation)
        #expect(bench.cache.heldByteCount == 80)
        #expect(bench.cache.acceptedCount.load(ordering: .relaxed) == 80)
        bench.work.runAll()
        #expect(bench.cache.heldByteCount == 80)
        #expect(bench.cache.acceptedCount.load(ordering: .relaxed) == 0)
        bench.files.answer { $0.operation == .write ? .fails(5) : .goesOn }
        try Self.accept(80..<90, generation)
        #expect(bench.cache.heldByteCount == 90)
        bench.work.runAll()
        #expect(bench.cache.heldByteCount == 80 && generation.heldByteCount == 80)
        bench.files.answer { _ in .goesOn }
        generation.release()
        bench.work.runAll()
        #expect(bench.cache.heldByteCount == 80)
        bench.cache.close()
    }

    // MARK: A slow disk

    @Test("a fetch waits while more than 8 MiB wait for the disk, and goes on when it has some")
    func room() async throws {
        let bench = try CacheBench()
        let length: Int64 = 32 << 20
        let generation = try Self.made(bench, length: length)
        let piece = ByteMemory([UInt8](repeating: 7, count: 1 << 20))
        for index in Int64(0)..<9 { try generation.accept(piece, at: index << 20) }
        #expect(generation.isCrowded)
        let clock = ManualClock()
        let waiting = Task { try await generation.waitForRoom(Timeline(clock)) }
        await clock.waitForSleepers(1)
        bench.work.runAll()
        try await waiting.value
        #expect(!generation.isCrowded)
        bench.cache.close()
    }

    @Test("a disk that takes nothing for 5 s ends the wait, and all later writes")
    func stalled() async throws {
        let bench = try CacheBench()
        let generation = try Self.made(bench, length: 32 << 20)
        let piece = ByteMemory([UInt8](repeating: 7, count: 9 << 20))
        try generation.accept(piece, at: 0)
        #expect(await Self.waitInVain(generation) != nil)
        #expect(throws: CacheError.self) { try generation.accept(piece, at: 16 << 20) }
        #expect(bench.warnings.all.count == 1)
        #expect(generation.holds(0..<(9 << 20)))
        bench.cache.close()
    }

    @Test(
        "bytes that will not be written are freed with their last reader, not by the disk's queue"
    )
    func freed() async throws {
        let bench = try CacheBench()
        let generation = try Self.made(bench, length: 32 << 20)
        try Self.accept(0..<(9 << 20), generation)
        #expect(await Self.waitInVain(generation) != nil)
        // A reader with a lease keeps them.
        var lease = Optional(generation.lease())
        let second = try #require(try bench.cache.open(CacheBench.key()))
        #expect(second === generation && lease != nil)
        generation.release()
        second.release()
        #expect(generation.readable == RangeSet(0..<(9 << 20)) && generation.heldByteCount == 0)
        lease = nil
        #expect(generation.readable.isEmpty)
        #expect(bench.work.pendingCount > 0, "the queue has performed nothing")
        bench.cache.close()
    }

    @Test("a disk that takes bytes of other resources has not stopped")
    func others() async throws {
        let bench = try CacheBench()
        let generation = try Self.made(bench, length: 32 << 20)
        try Self.accept(0..<(9 << 20), generation)
        let error = await Self.waitInVain(generation) { bench.cache.writes.advanced() }
        #expect(error?.message.contains("no byte of this resource for 5 s") == true)
        let hasStalled = bench.cache.writes.hasStalled
        #expect(!hasStalled)
        bench.cache.close()
    }

    @Test("behind a disk that has stopped, one opening waits for it, and no later one")
    func crowdedQueue() throws {
        let directory = TemporaryDirectory()
        let before = try CacheBench(in: directory)
        for number in 1...3 { try before.keep(number, 0..<1000, length: 1000) }
        before.cache.close()
        let bench = try CacheBench(in: directory, later: .seconds(60))
        for number in 10..<(10 + Cache.State.leavingLimit) {
            let generation = try bench.cache.create(
                CacheBench.key(number),
                description: ResourceDescription(length: 10, validator: .revision("1")),
                persistent: true
            )
            try generation.accept(ByteMemory([1, 2, 3]), at: 0)
            generation.release()
        }
        bench.work.hang()
        for number in 1...3 { #expect(try bench.cache.open(CacheBench.key(number)) != nil) }
        var hasStalled = bench.cache.saves.hasStalled
        #expect(bench.work.waitCount == 1 && hasStalled)
        // No further file is opened for writing, since none is closed.
        let late = try bench.cache.create(
            CacheBench.key(9),
            description: ResourceDescription(length: 10, validator: .revision("1")),
            persistent: true
        )
        try late.accept(ByteMemory([1, 2, 3]), at: 0)
        bench.work.runLast()
        #expect(late.failure?.message.contains("has saved no file for 5 s") == true)
        #expect(late.holds(0..<3) && !late.file.isCreated)
        late.release()
        bench.work.runAll()
        hasStalled = bench.cache.saves.hasStalled
        #expect(!hasStalled)
        bench.cache.close()
    }

    @Test("a disk that has stopped is not waited for again, until it takes a byte")
    func stopped() async throws {
        let bench = try CacheBench()
        let clock = ManualClock()
        let piece = ByteMemory([UInt8](repeating: 7, count: 9 << 20))
        func made(_ number: Int) throws -> Generation {
            let generation = try bench.cache.create(
                CacheBench.key(number),
                description: ResourceDescription(length: 32 << 20, validator: .revision("1")),
                persistent: true
            )
            try generation.accept(piece, at: 0)
            return generation
        }
        let first = try made(1)
        #expect(await Self.waitInVain(first) != nil)
        // The second one fails at once: no time passes.
        let second = try made(2)
        await #expect(throws: CacheError.self) { try await second.waitForRoom(Timeline(clock)) }
        let third = try made(3)
        bench.work.runAll()
        try await third.waitForRoom(Timeline(clock))
        // Bytes that will not be written crowd no other generation.
        #expect(bench.cache.acceptedCount.load(ordering: .relaxed) == 0)
        #expect(first.holds(0..<(9 << 20)) && second.holds(0..<(9 << 20)))
        first.release()
        second.release()
        bench.work.runAll()
        #expect(first.state.withLock { $0.accepted.isEmpty })
        bench.cache.close()
    }

    @Test("each generation has its turn after 1 MiB of another one")
    func turns() throws {
        let bench = try CacheBench()
        let piece = ByteMemory([UInt8](repeating: 7, count: 256 << 10))
        let generations = try (1...2).map { number in
            let generation = try bench.cache.create(
                CacheBench.key(number),
                description: ResourceDescription(length: 8 << 20, validator: .revision("1")),
                persistent: true
            )
            for index in Int64(0)..<8 { try generation.accept(piece, at: index * (256 << 10)) }
            return generation
        }
        bench.work.runAll()
        let writes = bench.files.log.filter { $0.operation == .write && $0.name.hasSuffix(".data") }
        let order = writes.map { $0.name == writes[0].name ? 1 : 2 }
        let turn = { (number: Int) in Array(repeating: number, count: 4) }
        #expect(order == turn(1) + turn(2) + turn(1) + turn(2))
        for generation in generations { #expect(generation.hasWritten(0..<(2 << 20))) }
        bench.cache.close()
    }

    @Test("neither an export nor a checkpoint passes over bytes that were not written")
    func notWritten() async throws {
        let bench = try CacheBench()
        let generation = try Self.made(bench)
        try Self.accept(500..<1000, generation)
        bench.work.runAll()
        bench.files.answer { $0.operation == .write ? .fails(5) : .goesOn }
        try Self.accept(0..<500, generation)
        #expect(generation.holds(0..<1000))
        let target = bench.directory.path(of: "copy")
        let error = #expect(throws: CacheError.self) {
            try bench.cache.export(identifier: CacheBench.key().identifier, to: target)
        }
        #expect(error?.code == .incomplete)
        let found = try bench.cache.verify(identifier: CacheBench.key().identifier)
        #expect(found?.soundByteCount == 500)
        let saved = Task { try await generation.checkpoint() }
        await #expect(throws: CacheError.self) {
            let work = Task {
                while !Task.isCancelled {
                    bench.work.runAll()
                    await Task.yield()
                }
            }
            defer { work.cancel() }
            try await saved.value
        }
        bench.cache.close()
    }

    @Test("a length that contradicts them is refused")
    func length() throws {
        let bench = try CacheBench()
        let generation = try bench.cache.create(
            CacheBench.key(),
            description: ResourceDescription(length: nil, validator: .revision("1")),
            persistent: true
        )
        try Self.accept(0..<100, generation)
        #expect(throws: CacheError.self) { try generation.setLength(99) }
        try generation.setLength(100)
        bench.work.runAll()
        #expect(generation.hasWritten(0..<100))
        bench.cache.close()
    }

    @Test("small pieces keep no larger memory, and count for some")
    func small() {
        var accepted = AcceptedBytes()
        let buffer = ByteMemory([UInt8](repeating: 1, count: 1 << 20))
        for index in 0..<100 { accepted.add(buffer[index..<(index + 1)], at: Int64(index)) }
        #expect(accepted.count == 100 && accepted.weight == 100 * 1024)
        for _ in 0..<100 { accepted.removeFirst() }
        #expect(accepted.isEmpty && accepted.weight == 0 && accepted.ranges.isEmpty)
    }
}
