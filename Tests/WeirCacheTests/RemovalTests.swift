// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("Clearing, also during playback")
struct RemovalTests {
    @Test("a removed resource is gone, its slices are still readable, and it starts afresh")
    func whileInUse() throws {
        let bench = try CacheBench()
        let old = try bench.keep(1, 0..<1000, length: 2000, releasing: false)
        let slice = try #require(old.slice(.whole))
        #expect(try bench.cache.remove(identifier: CacheBench.key().identifier))
        #expect(bench.stored.isEmpty)
        #expect(try bench.cache.open(CacheBench.key()) == nil)
        #expect(!old.isCurrent)
        #expect(bench.cache.heldByteCount == 0)
        #expect(try slice.load().withUnsafeBytes { Array($0) } == PatternBytes.bytes(in: 0..<1000))

        try old.write(pattern: 1000..<2000)
        #expect(try old.bytes(0..<2000) == PatternBytes.bytes(in: 0..<2000))
        let new = try bench.keep(1, 0..<10, length: 2000, releasing: false)
        #expect(new.id.rawValue > old.id.rawValue)
        old.release()
        bench.work.advance(by: .seconds(60))
        #expect(bench.stored == ["\(new.dataName)", "\(new.journalName)"])
        #expect(new.held == RangeSet([0..<10]))
        #expect(bench.cache.heldByteCount == 10)
    }

    @Test("a slice keeps its file open, and releases it at its end")
    func descriptors() throws {
        let bench = try CacheBench()
        let before = bench.files.openCount
        var slice = try bench.keep(1, 0..<100).slice(.whole)
        try bench.cache.removeAll()
        #expect(slice != nil)
        #expect(bench.files.openCount == before + 1)
        slice = nil
        #expect(bench.files.openCount == before)
    }

    @Test("a second removal, or one of an unknown resource, reports that nothing was removed")
    func absent() throws {
        let bench = try CacheBench()
        try bench.keep(1, 0..<10)
        let identifier = CacheBench.key().identifier
        #expect(try bench.cache.remove(identifier: identifier.uppercased()))
        #expect(try !bench.cache.remove(identifier: identifier))
        #expect(try !bench.cache.remove(identifier: "../../etc/passwd"))
        #expect(try !bench.cache.remove(identifier: ""))
    }

    @Test("removing everything leaves only the lock and the catalogue")
    func everything() throws {
        let bench = try CacheBench()
        for number in 0..<5 { try bench.keep(number, 0..<10, releasing: number != 2) }
        try bench.cache.removeAll()
        #expect(bench.stored.isEmpty)
        #expect(try bench.cache.resources().isEmpty)
        #expect(bench.cache.heldByteCount == 0)
        try bench.cache.removeAll()
    }

    @Test("a resource that is being opened while the cache closes stays in the cache")
    func openedWhileClosing() throws {
        let directory = TemporaryDirectory()
        do {
            let bench = try CacheBench(in: directory)
            try bench.keep(1, 0..<10)
            bench.cache.close()
        }
        let bench = try CacheBench(in: directory)
        let cache = bench.cache
        bench.files.answer { call in
            if call.operation == .open, call.name.hasSuffix(".journal") { cache.close() }
            return .goesOn
        }
        #expect(throws: CacheError.self) { try cache.open(CacheBench.key(1)) }
        bench.files.heal()
        bench.work.runAll()
        let again = try CacheBench(in: directory)
        #expect(try again.cache.open(CacheBench.key(1))?.held == RangeSet([0..<10]))
    }

    @Test("a closed cache rewrites no journal")
    func journalOfClosedCache() throws {
        let directory = TemporaryDirectory()
        let name: StoredFileName
        do {
            let bench = try CacheBench(in: directory)
            name = try bench.keep(1, 0..<1000).journalName
            bench.cache.close()
        }
        let bench = try CacheBench(in: directory)
        let cache = bench.cache
        let journal = URL(filePath: name.path(in: cache.directory))
        let data = StoredFileName(name.resource, name.generation, .data).path(in: cache.directory)
        let file = try FileHandle(forUpdating: URL(filePath: data))
        try file.truncate(atOffset: 500)
        try file.close()
        let before = try Data(contentsOf: journal)
        bench.files.answer { call in
            if call.operation == .open, call.name.hasSuffix(".journal") { cache.close() }
            return .goesOn
        }
        #expect(throws: CacheError.self) { try cache.open(CacheBench.key(1)) }
        #expect(try Data(contentsOf: journal) == before)
    }

    @Test("a removal survives a kill that follows it")
    func durable() throws {
        let bench = try CacheBench()
        try bench.keep(1, 0..<10)
        try bench.keep(2, 0..<10)
        try bench.cache.remove(identifier: CacheBench.key(1).identifier)
        let again = try CacheBench(in: bench.copied())
        #expect(try again.cache.open(CacheBench.key(1)) == nil)
        #expect(try again.cache.open(CacheBench.key(2)) != nil)
    }

    @Test("the journal is removed durably before the data")
    func order() throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 0..<10)
        let before = bench.files.events.count
        try bench.cache.removeAll()
        let changes = bench.files.events[before...].filter { event in
            if case .opened = event { false } else { true }
        }
        #expect(
            changes == [
                .removed("\(generation.journalName)"),
                .synchronizedDirectory(generation.key.folder),
                .removed("\(generation.dataName)"),
            ]
        )
    }

    @Test("a journal that cannot be removed keeps its data, and the removal reports it")
    func refused() throws {
        let bench = try CacheBench()
        let generation = try bench.keep(1, 0..<10)
        bench.files.fail(.remove, ".journal", with: 13)
        let error = #expect(throws: CacheError.self) { try bench.cache.removeAll() }
        #expect(error?.code == .notWritable)
        #expect(bench.stored == ["\(generation.dataName)", "\(generation.journalName)"])
        #expect(bench.warnings.all.count == 1)
    }

    @Test("a new generation replaces the old one, and a reader of the old one reads on")
    func superseded() throws {
        let bench = try CacheBench()
        let old = try bench.keep(1, 0..<1000, releasing: false)
        let slice = try #require(old.slice(.whole))
        let new = try bench.cache.create(
            CacheBench.key(),
            description: ResourceDescription(length: 500, validator: .revision("2")),
            persistent: true
        )
        #expect(try bench.cache.open(CacheBench.key()) === new)
        bench.work.runAll()
        #expect(bench.stored == ["\(new.dataName)", "\(new.journalName)"])
        try old.write(pattern: 0..<10)
        #expect(try slice.load().count == 1000)
        old.release()
        bench.work.runAll()
        #expect(try bench.cache.resources().map(\.generation) == [new.id])
    }

    @Test("of three generations in quick succession only the last stays")
    func supersededAtOnce() throws {
        let bench = try CacheBench()
        var last: Generation?
        for number in 1...3 {
            last = try bench.cache.create(
                CacheBench.key(),
                description: ResourceDescription(length: 10, validator: .revision("\(number)")),
                persistent: number != 2
            )
            try last?.write(pattern: 0..<10)
        }
        bench.work.advance(by: .seconds(1))
        let kept = try #require(last)
        #expect(bench.stored == ["\(kept.dataName)", "\(kept.journalName)"])
        #expect(bench.cache.heldByteCount == 10)
    }

    @Test("a generation that is removed before its journal was made leaves nothing")
    func removedAtOnce() throws {
        let bench = try CacheBench()
        let generation = try bench.cache.create(
            CacheBench.key(),
            description: ResourceDescription(length: 10, validator: .revision("1")),
            persistent: true
        )
        try bench.cache.remove(identifier: CacheBench.key().identifier)
        try generation.write(pattern: 0..<10)
        generation.release()
        bench.work.advance(by: .seconds(60))
        #expect(bench.stored.isEmpty)
        #expect(try bench.cache.resources().isEmpty)
    }
}
