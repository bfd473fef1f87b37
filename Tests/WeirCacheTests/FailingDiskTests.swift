// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirCache

#if canImport(Glibc)
import Glibc
#endif

@Suite("A disk that fails")
struct FailingDiskTests {
    @Test(
        "a failed write ends writing with one code, held bytes stay readable, and one warning comes",
        arguments: [
            (ENOSPC, CacheError.Code.full), (EDQUOT, .full), (EIO, .io), (EROFS, .notWritable),
        ]
    )
    func failingWrite(errno: CInt, code: CacheError.Code) throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 0..<100, length: 1000, releasing: false)
        bench.files.fail(.write, ".data", with: errno)
        for _ in 0..<3 {
            let error = #expect(throws: CacheError.self) {
                try generation.write(pattern: 100..<200)
            }
            #expect(error?.code == code)
        }
        #expect(generation.failure?.code == code)
        #expect(generation.held == RangeSet([0..<100]))
        #expect(try generation.firstWrongByte() == nil)
        #expect(bench.warnings.all.count == 1)
        bench.files.heal()
        #expect(throws: CacheError.self) { try generation.write(pattern: 100..<200) }
        generation.release()
        bench.work.runAll()
        let again = try #require(try bench.cache.open(CacheBench.key()))
        #expect(again !== generation)
        try again.write(pattern: 100..<200)
        #expect(try again.bytes(0..<200) == PatternBytes.bytes(in: 0..<200))
        #expect(bench.cache.heldByteCount == 200)
    }

    @Test(
        "a failed synchronization loses unsaved data, and saved data stays",
        arguments: [ENOSPC, EIO]
    )
    func failingSynchronize(errno: CInt) async throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 0..<100, length: 1000, releasing: false)
        bench.work.advance(by: .milliseconds(500))
        try generation.write(pattern: 500..<600)
        bench.files.fail(.synchronize, ".data", with: errno)
        bench.work.advance(by: .milliseconds(500))
        #expect(generation.held == RangeSet([0..<100]))
        #expect(bench.cache.heldByteCount == 100)
        #expect(generation.failure != nil)
        #expect(bench.warnings.all.count == 1)
        bench.files.heal()
        generation.release()
        bench.work.runAll()
        #expect(try bench.cache.open(CacheBench.key())?.held == RangeSet([0..<100]))
        #expect(try bench.claims(of: generation) == RangeSet([0..<100]))
    }

    @Test(
        "a failed journal write loses claims, not bytes, and a torn record does no harm",
        arguments: [ScriptedFiles.Answer.fails(ENOSPC), .fails(EIO), .short(9)]
    )
    func failingJournal(answer: ScriptedFiles.Answer) throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 0..<100, length: 1000, releasing: false)
        bench.work.advance(by: .milliseconds(500))
        try generation.write(pattern: 500..<600)
        let count = Counter()
        bench.files.answer { call in
            guard call.operation == .write, call.name.hasSuffix(".journal") else { return .goesOn }
            // Only the first write gets the answer, and later writes fail. A short first write
            // leaves a torn record.
            return count.next() == 1 ? answer : .fails(ENOSPC)
        }
        bench.work.advance(by: .milliseconds(500))
        #expect(generation.held == RangeSet([0..<100, 500..<600]))
        #expect(try generation.firstWrongByte() == nil)
        #expect(try bench.claims(of: generation) == RangeSet([0..<100]))
        #expect(throws: CacheError.self) { try generation.write(pattern: 600..<700) }
        bench.files.heal()
        generation.release()
        bench.work.runAll()
        #expect(try bench.claims(of: generation) == RangeSet([0..<100, 500..<600]))
        #expect(try bench.cache.open(CacheBench.key())?.held == RangeSet([0..<100, 500..<600]))
    }

    @Test("without a journal bytes are readable while in use, and are removed afterwards")
    func failingJournalCreation() throws {
        let bench = try CacheBench()
        bench.files.fail(.open, ".journal", with: ENOSPC)
        let generation = try bench.cache.create(
            CacheBench.key(),
            description: ResourceDescription(length: 100, validator: .revision("1")),
            persistent: true
        )
        try generation.write(pattern: 0..<50)
        bench.work.runAll()
        #expect(bench.warnings.all.count == 1)
        #expect(try generation.bytes(0..<50) == PatternBytes.bytes(in: 0..<50))
        let error = #expect(throws: CacheError.self) { try generation.write(pattern: 50..<60) }
        #expect(error?.code == .full)
        bench.files.heal()
        generation.release()
        bench.work.advance(by: .seconds(60))
        #expect(bench.stored.isEmpty)
        #expect(try bench.cache.resources().isEmpty)
        #expect(bench.cache.heldByteCount == 0)
    }

    @Test(
        "a failure to make a file ends the writing with its reason, and leaves no trace",
        arguments: [(ENOSPC, CacheError.Code.full), (EMFILE, .exhausted), (EACCES, .notWritable)]
    )
    func failingCreation(errno: CInt, code: CacheError.Code) throws {
        let bench = try CacheBench()
        bench.files.fail(.open, ".data", with: errno)
        let generation = try bench.cache.create(
            CacheBench.key(),
            description: ResourceDescription(length: 100, validator: .revision("2")),
            persistent: true
        )
        try generation.accept(ByteMemory(PatternBytes.bytes(in: 0..<50)), at: 0)
        bench.work.runAll()
        #expect(generation.failure?.code == code)
        #expect(generation.failure?.errno == errno)
        #expect(bench.warnings.all.count == 1)
        bench.files.heal()
        generation.release()
        bench.work.runAll()
        #expect(bench.stored.isEmpty)
        #expect(bench.cache.heldByteCount == 0)
        try bench.keep(1, 0..<100)
        #expect(bench.cache.heldByteCount == 100)
    }

    @Test("interrupted and short calls are continued where they stopped")
    func interruptions() throws {
        let files = ScriptedFiles()
        let count = Counter()
        files.answer { call in
            let number = count.next()
            if number.isMultiple(of: 2) { return .fails(EINTR) }
            if call.operation == .write || call.operation == .read { return .short(1 + number % 7) }
            return .goesOn
        }
        var bench = try CacheBench(files: files)
        let generation = try bench.keep(1, 0..<0, length: 1000, releasing: false)
        for lower in stride(from: Int64(0), to: 1000, by: 100) {
            try generation.write(pattern: lower..<lower + 50)
            bench.work.advance(by: .milliseconds(500))
        }
        #expect(try generation.firstWrongByte() == nil)
        bench.cache.close()
        bench = try CacheBench(in: bench.directory, files: files)
        let again = try #require(try bench.cache.open(CacheBench.key()))
        #expect(again.heldByteCount == 500)
        #expect(try again.firstWrongByte() == nil)
        #expect(bench.warnings.all.isEmpty)
    }

    @Test("a call that is interrupted for ever, or writes nothing, fails in the end")
    func endlessInterruptions() throws {
        let bench = try CacheBench()
        let one = try bench.keep(1, 0..<0, length: 1000, releasing: false)
        bench.files.fail(.write, ".data", with: EINTR)
        #expect(throws: CacheError.self) { try one.write(pattern: 0..<10) }
        bench.files.heal()
        let two = try bench.keep(2, 0..<0, length: 1000, releasing: false)
        bench.files.answer { $0.operation == .write ? .short(0) : .goesOn }
        #expect(throws: CacheError.self) { try two.write(pattern: 0..<10) }
    }

    @Test(
        "a resource whose data or journal is missing is dropped, and starts afresh",
        arguments: [StoredFileName.Kind.data, .journal]
    )
    func vanished(kind: StoredFileName.Kind) throws {
        var bench = try CacheBench()
        let old = try bench.keep(1, 0..<100)
        bench.cache.close()
        let name = StoredFileName(old.key, old.id, kind)
        try FileManager.default.removeItem(atPath: name.path(in: bench.cache.directory))
        bench = try CacheBench(in: bench.directory)
        #expect(try bench.cache.open(CacheBench.key()) == nil)
        bench.work.runAll()
        #expect(bench.stored.isEmpty)
        #expect(try bench.cache.resources().isEmpty)
        try bench.keep(1, 0..<10)
        #expect(try bench.cache.open(CacheBench.key())?.heldByteCount == 10)
    }

    @Test("a damaged journal, or one of another resource, is dropped")
    func damagedJournal() throws {
        var bench = try CacheBench()
        let one = try bench.keep(1, 0..<100)
        let two = try bench.keep(2, 0..<100)
        bench.cache.close()
        let directory = bench.cache.directory
        let other = try Data(contentsOf: URL(fileURLWithPath: two.journalName.path(in: directory)))
        try other.write(to: URL(fileURLWithPath: one.journalName.path(in: directory)))
        bench = try CacheBench(in: bench.directory)
        #expect(try bench.cache.open(CacheBench.key(1)) == nil)
        #expect(try bench.cache.open(CacheBench.key(2))?.heldByteCount == 100)
    }

    @Test(
        "too many open files, or a missing permission, drop nothing",
        arguments: [(EMFILE, CacheError.Code.exhausted), (EACCES, .notWritable)]
    )
    func passingTrouble(errno: CInt, code: CacheError.Code) throws {
        var bench = try CacheBench()
        try bench.keep(1, 0..<100)
        bench.cache.close()
        bench = try CacheBench(in: bench.directory)
        for suffix in [".data", ".journal"] {
            bench.files.fail(.open, suffix, with: errno)
            let error = #expect(throws: CacheError.self) { try bench.cache.open(CacheBench.key()) }
            #expect(error?.code == code)
        }
        bench.files.heal()
        #expect(try bench.cache.open(CacheBench.key())?.heldByteCount == 100)
    }

    @Test("after trouble that passed, new trouble is reported again")
    func warnings() throws {
        let bench = try CacheBench()
        for number in 1...2 {
            let generation = try bench.keep(number, 0..<100, length: 1000, releasing: false)
            bench.work.advance(by: .milliseconds(500))
            bench.files.fail(.write, ".data", with: ENOSPC)
            #expect(throws: CacheError.self) { try generation.write(pattern: 100..<200) }
            bench.files.heal()
            #expect(bench.warnings.all.count == number)
        }
    }

    @Test("a failed read of a slice throws a SourceError")
    func failingRead() throws {
        let bench = try CacheBench()
        let slice = try #require(try bench.keep(1, 0..<100, releasing: false).slice(.whole))
        bench.files.fail(.read, ".data", with: EIO)
        let error = #expect(throws: SourceError.self) { try slice.load() }
        #expect(error?.code == .cacheFailed)
    }

    @Test(
        "compared bytes that become unreadable are a hole for the next request"
    )
    func failingReadHeals() throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 0..<100, releasing: false)
        let slice = try #require(generation.slice(.whole))
        bench.files.fail(.read, ".data", with: EIO)
        #expect(throws: SourceError.self) { try slice.load() }
        #expect(generation.slice(.whole) == nil)
        #expect(try generation.checkedSlice(at: 0, before: 100) == nil)
        #expect(!generation.holds(0..<1))
        bench.files.heal()
        try generation.write(pattern: 0..<100)
        #expect(try generation.bytes(0..<100) == PatternBytes.bytes(in: 0..<100))
    }

    @Test("a vanished directory costs only the bytes that are not in memory")
    func vanishedDirectory() throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 0..<100, length: 1000, releasing: false)
        try FileManager.default.removeItem(atPath: bench.cache.directory)
        try generation.write(pattern: 100..<200)
        #expect(try generation.bytes(0..<200) == PatternBytes.bytes(in: 0..<200))
        bench.work.advance(by: .milliseconds(500))
        #expect(generation.failure != nil)
        #expect(try generation.bytes(0..<200) == PatternBytes.bytes(in: 0..<200))
        let error = #expect(throws: CacheError.self) { try bench.keep(2, 0..<10) }
        #expect(error?.code == .io)
        generation.release()
        bench.cache.close()
    }
}

/// Counts calls.
private final class Counter: Sendable {
    private let count = Watched(0)

    func next() -> Int {
        self.count.update { count in
            count += 1
            return count
        }
    }
}
