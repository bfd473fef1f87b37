// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("Which writes become durable, when, and in which order")
struct DurabilityTests {
    @Test(
        "no claim is written before its data is on the disk",
        arguments: [1, 2, 3]
    )
    func order(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let bench = try CacheBench()
        let generation = try bench.keep(1, 0..<0, length: 1_000_000, releasing: false)
        for _ in 0..<60 {
            for _ in 0..<Int.random(in: 1..<5, using: &generator) {
                let lower = Int64.random(in: 0..<990_000, using: &generator)
                try generation.write(pattern: lower..<lower + 5000)
            }
            bench.work.advance(by: .milliseconds(500))
        }
        let data = generation.dataName.description
        let journal = generation.journalName.description
        var isUnsaved = false
        var claims = 0
        for event in bench.files.events {
            switch event {
            case .wrote(data, _): isUnsaved = true
            case .synchronized(data): isUnsaved = false
            case .wrote(journal, let range) where range.lowerBound > 0:
                claims += 1
                #expect(!isUnsaved, "seed \(seed)")
            default: break
            }
        }
        // A round that writes only held bytes adds no claim.
        #expect(claims > 50)
    }

    @Test("a checkpoint orders the data before the claim, and waits only for the claim")
    func barrier() throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 0..<0, length: 100_000, releasing: false)
        for index in Int64(0)..<5 {
            try generation.write(pattern: index * 10_000..<index * 10_000 + 5000)
            bench.work.advance(by: .milliseconds(500))
        }
        let calls = bench.files.log.filter { $0.operation == .synchronize && $0.descriptor != nil }
        let data = calls.filter { $0.name == "\(generation.dataName)" }
        let journal = calls.filter { $0.name == "\(generation.journalName)" }
        #expect(data.count >= 5)
        #expect(data.allSatisfy { $0.isOrder })
        #expect(journal.count >= 5)
        #expect(journal.allSatisfy { !$0.isOrder })
        for call in data {
            #expect(journal.contains { $0.number > call.number }, "operation \(call.number)")
        }
    }

    @Test("at every file operation, a copy of the directory claims only written bytes")
    func killedAnywhere() throws {
        let copies = Copies()
        let files = ScriptedFiles()
        let bench = try CacheBench(files: files)
        let written = Mutex(RangeSet<Int64>())
        let saved = Mutex(RangeSet<Int64>())
        let source = bench.cache.directory
        files.answer { _ in
            copies.copy(source, promised: saved.withLock { $0 }, written: written.withLock { $0 })
            return .goesOn
        }
        let key = CacheBench.key()
        let generation = try bench.cache.create(
            key,
            description: ResourceDescription(length: 50_000, validator: .revision("1")),
            persistent: true
        )
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<12 {
            for _ in 0..<3 {
                let lower = Int64.random(in: 0..<49_000, using: &generator)
                written.withLock { $0.insert(contentsOf: lower..<lower + 1000) }
                try generation.write(pattern: lower..<lower + 1000)
            }
            bench.work.advance(by: .milliseconds(500))
            let held = generation.held
            saved.withLock { $0 = held }
        }
        generation.release()
        bench.work.runAll()
        bench.cache.close()
        files.heal()
        #expect(copies.all.count > 60)
        for copy in copies.all {
            let cache = try Cache(directory: copy.path)
            defer { cache.close() }
            guard let again = try cache.open(key) else {
                #expect(copy.promised.isEmpty)
                continue
            }
            #expect(copy.written.isSuperset(of: again.held))
            #expect(again.held.isSuperset(of: copy.promised))
            #expect(try again.firstWrongByte() == nil)
        }
    }

    @Test(
        "at every file operation, a copy of the directory holds all but 256 KiB of the written bytes"
    )
    func killedInMidPlay() throws {
        let copies = Copies()
        let files = ScriptedFiles()
        let bench = try CacheBench(files: files)
        let written = Mutex(RangeSet<Int64>())
        let source = bench.cache.directory
        let length: Int64 = 1_600_000
        let key = CacheBench.key()
        let generation = try bench.cache.create(
            key,
            description: ResourceDescription(length: length, validator: .revision("1")),
            persistent: true
        )
        bench.work.runAll()
        files.answer { call in
            // A copy before each write and each synchronization is enough to see every state.
            if call.operation == .write || call.operation == .synchronize {
                copies.copy(source, promised: RangeSet(), written: written.withLock { $0 })
            }
            return .goesOn
        }
        for lower in stride(from: 0, to: length, by: 40_000) {
            let part = lower..<min(length, lower + 40_000)
            try generation.write(pattern: part)
            written.withLock { $0.insert(contentsOf: part) }
            // Checkpoints happen in between.
            if lower % 600_000 == 0 { bench.work.advance(by: .milliseconds(500)) }
        }
        files.heal()
        #expect(copies.all.count > 50)
        for copy in copies.all {
            let cache = try Cache(directory: copy.path)
            defer { cache.close() }
            let again = try #require(try cache.open(key))
            defer { again.release() }
            #expect(again.held.byteCount >= copy.written.byteCount - 256 << 10)
            #expect(try again.firstWrongByte() == nil)
            #expect(try cache.resources().first?.heldByteCount == again.held.byteCount)
        }
        generation.release()
    }

    @Test(
        "bytes that were compared after a kill become durable before a rewritten journal claims them"
    )
    func rewritingAfterKill() throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 300_000..<310_000, length: 400_000, releasing: false)
        bench.work.advance(by: .milliseconds(500))
        try generation.write(pattern: 0..<200_000)
        let copy = try bench.copied()
        let directory = copy.path(of: "cache")
        // The journal claims more than the data file has: the cache rewrites the journal.
        let data = StoredFileName(generation.key, generation.id, .data).path(in: directory)
        #expect(truncate(data, 250_000) == 0)
        let files = ScriptedFiles()
        let cache = try Cache(directory: directory, files: files)
        defer { cache.close() }
        let again = try #require(try cache.open(CacheBench.key(1)))
        defer { again.release() }
        #expect(again.held == RangeSet([0..<200_000]))
        let events = files.events
        let saved = try #require(events.firstIndex(of: .synchronized("\(again.dataName)")))
        let renamed = events.firstIndex { if case .renamed = $0 { true } else { false } }
        #expect(saved < (try #require(renamed)))
        generation.release()
    }

    @Test("a cache that is dropped without a close loses no durable bytes")
    func dropped() async throws {
        let directory = TemporaryDirectory()
        let key = CacheBench.key()
        var cache: Cache? = try Cache(directory: directory.path)
        var generation = try cache?.create(
            key,
            description: ResourceDescription(length: 100, validator: .revision("1")),
            persistent: true
        )
        try generation?.write(pattern: 0..<60)
        try await generation?.checkpoint()
        try generation?.write(pattern: 60..<100)
        let copy = directory.path + ".copy"
        try FileManager.default.copyItem(atPath: directory.path, toPath: copy)
        defer { try? FileManager.default.removeItem(atPath: copy) }
        generation = nil
        cache = nil
        let again = try Cache(directory: copy)
        let found = try #require(try again.open(key))
        #expect(found.held.isSuperset(of: RangeSet([0..<60])))
        #expect(try found.firstWrongByte() == nil)
        again.close()
    }

    @Test("500 ms after the first unsaved byte all bytes are saved, without another write")
    func timer() throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 0..<0, length: 100, releasing: false)
        try generation.write(pattern: 0..<10)
        bench.work.advance(by: .milliseconds(499))
        #expect(!bench.files.events.contains(.synchronized("\(generation.dataName)")))
        try generation.write(pattern: 10..<20)
        bench.work.advance(by: .milliseconds(1))
        #expect(bench.files.events.contains(.synchronized("\(generation.dataName)")))
        #expect(try bench.claims(of: generation) == RangeSet([0..<20]))
    }

    @Test("32 MiB are saved at once")
    func size() throws {
        let bench = try CacheBench()
        let size: Int64 = 32 << 20
        let generation = try bench.keep(1, 0..<0, length: size, releasing: false)
        try generation.write(pattern: 0..<size - 1)
        #expect(bench.work.pendingCount == 0)
        try generation.write(pattern: size - 1..<size)
        #expect(bench.work.pendingCount == 1)
        bench.work.runAll()
        #expect(try bench.claims(of: generation) == RangeSet([0..<size]))
    }

    @Test("a writer never waits for the disk: synchronization happens only on the queue")
    func writerDoesNotSynchronize() throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 0..<0, length: 32 << 20, releasing: false)
        let before = bench.files.events.count
        for block in 0..<Int64(32) {
            try generation.write(pattern: block << 20..<(block + 1) << 20)
        }
        let events = bench.files.events[before...]
        #expect(
            events.allSatisfy { event in
                switch event {
                case .wrote, .opened: true
                default: false
                }
            }
        )
        #expect(bench.work.pendingCount == 1)
    }

    @Test("a checkpoint that a caller waits for covers all earlier writes")
    func awaited() async throws {
        let directory = TemporaryDirectory()
        let files = ScriptedFiles()
        let cache = try Cache(directory: directory.path, files: files)
        let generation = try cache.create(
            CacheBench.key(),
            description: ResourceDescription(length: nil, validator: .revision("1")),
            persistent: true
        )
        for block in 0..<Int64(8) {
            try generation.write(pattern: block * 100..<block * 100 + 50)
            if block == 4 { try generation.setLength(1000) }
            try await generation.checkpoint()
            let bytes = try [UInt8](
                Data(
                    contentsOf: URL(
                        fileURLWithPath: generation.journalName.path(in: cache.directory)
                    )
                )
            )
            let journal = try Journal(bytes, dataSize: .max)
            #expect(journal.held == generation.held)
            #expect(journal.length == generation.description.length)
        }
        cache.close()
        let error = await #expect(throws: CacheError.self) { try await generation.checkpoint() }
        _ = error
    }

    @Test("a torn end of a journal is cut off before the next record is written")
    func tornEnd() throws {
        var bench = try CacheBench()
        let generation = try bench.keep(1, 0..<10, length: 100)
        bench.cache.close()
        let path = generation.journalName.path(in: bench.cache.directory)
        let sound = try Data(contentsOf: URL(fileURLWithPath: path))
        try (sound + Data([1, 16, 0, 0, 0, 9, 9])).write(to: URL(fileURLWithPath: path))
        bench = try CacheBench(in: bench.directory)
        let again = try #require(try bench.cache.open(CacheBench.key()))
        #expect(again.held == RangeSet([0..<10]))
        try again.write(pattern: 50..<60)
        bench.cache.close()
        #expect(
            bench.files.events.contains(.truncated("\(generation.journalName)", Int64(sound.count)))
        )
        bench = try CacheBench(in: bench.directory)
        #expect(
            try bench.cache.open(CacheBench.key())?.held == RangeSet([0..<10, 50..<60])
        )
    }

    @Test("a journal much longer than its claims is rewritten with the same claims")
    func compaction() throws {
        var bench = try CacheBench()
        let generation = try bench.keep(1, 0..<0, length: 10_000, releasing: false)
        for offset in 0..<Int64(600) {
            try generation.write(pattern: offset..<offset + 1)
            bench.work.advance(by: .milliseconds(500))
        }
        let temporary = "\(generation.journalName).new"
        let name = generation.journalName.description
        let events = bench.files.events
        let rename = try #require(events.firstIndex(of: .renamed(temporary, name)))
        let synchronized = events[..<rename].lastIndex(of: .synchronized(temporary))
        let wrote = events[..<rename].lastIndex { event in
            if case .wrote(temporary, _) = event { true } else { false }
        }
        #expect(try #require(wrote) < #require(synchronized))
        #expect(events[rename + 1] == .synchronizedDirectory(generation.key.folder))
        let size = try #require(
            try PosixFiles().status(of: generation.journalName.path(in: bench.cache.directory))?
                .size
        )
        #expect(size < 270 * 25 + 2000)
        #expect(try bench.claims(of: generation) == RangeSet([0..<600]))
        generation.release()
        bench.cache.close()
        bench = try CacheBench(in: bench.directory)
        #expect(try bench.cache.open(CacheBench.key())?.held == RangeSet([0..<600]))
    }

    @Test("a learned length survives a rewrite of the journal")
    func compactionKeepsLength() throws {
        var bench = try CacheBench()
        let generation = try bench.cache.create(
            CacheBench.key(),
            description: ResourceDescription(length: nil, validator: .revision("1")),
            persistent: true
        )
        try generation.setLength(5000)
        for offset in 0..<Int64(400) {
            try generation.write(pattern: offset..<offset + 1)
            bench.work.advance(by: .milliseconds(500))
        }
        bench.cache.close()
        bench = try CacheBench(in: bench.directory)
        let again = try #require(try bench.cache.open(CacheBench.key()))
        #expect(again.description.length == 5000)
        #expect(again.held == RangeSet([0..<400]))
    }

    @Test("a new generation's journal and its name are durable before the old journal is removed")
    func supersedingOrder() throws {
        let bench = try CacheBench()
        let old = try bench.keep(1, 0..<10)
        let new = try bench.keep(1, 0..<20)
        let events = bench.files.events
        let made = try #require(events.firstIndex(of: .synchronized("\(new.journalName)")))
        let named = try #require(
            events[made...].firstIndex(of: .synchronizedDirectory(new.key.folder))
        )
        let gone = try #require(events.firstIndex(of: .removed("\(old.journalName)")))
        let goneDurably = try #require(
            events[gone...].firstIndex(of: .synchronizedDirectory(old.key.folder))
        )
        let dataGone = try #require(events.firstIndex(of: .removed("\(old.dataName)")))
        #expect(made < named && named < gone && gone < goneDurably && goneDurably < dataGone)
    }

    @Test("a journal whose data file is too short loses the claims past the file's end permanently")
    func shortDataFile() throws {
        var bench = try CacheBench()
        let generation = try bench.keep(1, 0..<1000, length: 10_000, releasing: false)
        try generation.write(pattern: 5000..<6000)
        bench.cache.close()
        let path = generation.dataName.path(in: bench.cache.directory)
        let files = PosixFiles()
        let descriptor = try files.open(path, for: .updating)
        try files.truncate(descriptor, to: 5500)
        files.close(descriptor)
        bench = try CacheBench(in: bench.directory)
        var again = try #require(try bench.cache.open(CacheBench.key()))
        #expect(again.held == RangeSet([0..<1000]))
        try again.write(pattern: 9000..<10_000)
        bench.cache.close()
        bench = try CacheBench(in: bench.directory)
        again = try #require(try bench.cache.open(CacheBench.key()))
        #expect(again.held == RangeSet([0..<1000, 9000..<10_000]))
        #expect(try again.firstWrongByte() == nil)
    }
}

extension CacheBench {
    /// The ranges that a generation's journal on disk claims now.
    func claims(of generation: Generation) throws -> RangeSet<Int64> {
        let path = generation.journalName.path(in: self.cache.directory)
        let bytes = try [UInt8](Data(contentsOf: URL(fileURLWithPath: path)))
        return try Journal(bytes, dataSize: .max).held
    }
}

/// Copies of a directory, removed with this object.
private final class Copies: Sendable {
    struct Copy: Sendable {
        var path: String
        /// The ranges that must be held.
        var promised: RangeSet<Int64>
        /// The ranges that may be held.
        var written: RangeSet<Int64>
    }

    private let directory = TemporaryDirectory()
    private let copies = Mutex<[Copy]>([])

    var all: [Copy] { self.copies.withLock { $0 } }

    func copy(_ source: String, promised: RangeSet<Int64>, written: RangeSet<Int64>) {
        self.copies.withLock { copies in
            let path = self.directory.path(of: "\(copies.count)")
            do {
                try FileManager.default.copyItem(atPath: source, toPath: path)
                copies.append(Copy(path: path, promised: promised, written: written))
            } catch {
                Issue.record("could not copy the directory: \(error)")
            }
        }
    }
}
