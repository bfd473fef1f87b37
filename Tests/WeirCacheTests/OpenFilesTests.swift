// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("Which data files stay open")
struct OpenFilesTests {
    private static let length: Int64 = 100_000

    /// A bench with a limit of open files, and resources that are held whole and kept in memory.
    private static func bench(
        open: Int,
        resources: ClosedRange<Int>
    ) throws -> (CacheBench, [Generation]) {
        let bench = try CacheBench(maximumOpenFiles: open)
        return (bench, try resources.map { try bench.keep($0, 0..<Self.length) })
    }

    @Test("with many resources in memory, the number of open files stays within the limit")
    func bound() throws {
        let (bench, generations) = try Self.bench(open: 4, resources: 1...30)
        // The other descriptor is the folder's lock.
        #expect(bench.files.openCount == 4 + 1)
        #expect(bench.cache.openFileCount == 4)
        for (number, generation) in generations.enumerated() {
            #expect(try generation.firstWrongByte(seed: UInt64(number + 1)) == nil)
            #expect(bench.cache.openFileCount == 4)
        }
    }

    @Test("the files unused for the longest time are closed first")
    func order() throws {
        let (bench, generations) = try Self.bench(open: 3, resources: 1...3)
        #expect(generations[0].slice(.whole) != nil)
        let fourth = try bench.keep(4, 0..<Self.length)
        #expect(generations.map { $0.slice(.whole) != nil } == [true, false, true])
        // These reads were uses of the open files 1 and 3, so file 4 closes first.
        try bench.keep(5, 0..<Self.length)
        #expect(fourth.slice(.whole) == nil)
        #expect(generations.map { $0.slice(.whole) != nil } == [true, false, true])
    }

    @Test(
        "a closed file gives no slice without waiting, and is opened again for a reader that may wait"
    )
    func reopening() throws {
        let (bench, generations) = try Self.bench(open: 1, resources: 1...2)
        #expect(generations[0].slice(.whole) == nil)
        #expect(generations[0].slice(at: 5, before: 10) == nil)
        let slice = try #require(try generations[0].checkedSlice(at: 0, before: Self.length))
        #expect(slice.range == 0..<Self.length)
        #expect(generations[0].slice(.whole) != nil)
        #expect(generations[1].slice(.whole) == nil, "the bound is 1")
        #expect(bench.cache.openFileCount == 1)
    }

    @Test("the file of a small resource is read once, for the comparison and for its readers")
    func small() throws {
        let directory = TemporaryDirectory()
        do {
            let bench = try CacheBench(in: directory)
            try bench.keep(1, 0..<1000, length: 1000)
            try bench.keep(2, 0..<Self.length, length: Self.length)
            bench.cache.close()
        }
        let bench = try CacheBench(in: directory)
        func readCount(_ number: Int, _ length: Int64) throws -> Int {
            let generation = try #require(try bench.cache.open(CacheBench.key(number)))
            defer { generation.release() }
            let slice = try #require(try generation.checkedSlice(at: 0, before: length))
            #expect(slice.range == 0..<length)
            for part in [0..<length, 0..<10, 990..<1000] {
                let bytes = try slice.clamped(to: part).load().withUnsafeBytes { Array($0) }
                #expect(bytes == PatternBytes.bytes(in: part, seed: UInt64(number)))
            }
            return bench.files.log.filter {
                $0.operation == .read && $0.name == "\(generation.dataName)"
            }.count
        }
        #expect(try readCount(1, 1000) == 1)
        // Two blocks are compared, and three parts are read.
        #expect(try readCount(2, Self.length) == 2 + 3)
    }

    @Test("a file with a slice in use stays open, and is not opened a second time")
    func leased() throws {
        let (bench, generations) = try Self.bench(open: 1, resources: 1...1)
        var slice = try generations[0].checkedSlice(at: 0, before: Self.length)
        try bench.keep(2, 0..<Self.length)
        #expect(bench.cache.openFileCount == 2)
        let descriptor = try #require(slice?.file.descriptor)
        let again = try generations[0].checkedSlice(at: 10, before: 20)
        #expect(again?.file.descriptor == descriptor)
        #expect(try slice?.load().count == Int(Self.length))
        slice = nil
    }

    @Test("when slices end, their surplus descriptors are closed")
    func leasesEnd() throws {
        let (bench, generations) = try Self.bench(open: 2, resources: 1...6)
        var slices = try generations.map { try $0.checkedSlice(at: 0, before: Self.length) }
        #expect(bench.cache.openFileCount == 6)
        slices = []
        #expect(slices.isEmpty)
        #expect(bench.cache.openFileCount <= 2)
    }

    @Test("a file with bytes that are not durable stays open, and is closed when they are")
    func unsaved() throws {
        let bench = try CacheBench(maximumOpenFiles: 1)
        let first = try bench.cache.create(
            CacheBench.key(1),
            description: ResourceDescription(length: 1000, validator: .entityTag("\"1\"")),
            persistent: true
        )
        bench.work.runAll()
        try first.write(pattern: 0..<1000)
        try bench.keep(2, 0..<Self.length)
        #expect(first.slice(.whole) != nil, "its bytes wait to be saved")
        bench.work.advance(by: .milliseconds(500))
        try bench.keep(3, 0..<Self.length)
        #expect(first.slice(.whole) == nil)
        #expect(try first.firstWrongByte() == nil)
        first.release()
    }

    @Test("another file of the same name is not read, and the resource is no longer found")
    func anotherFile() throws {
        let (bench, generations) = try Self.bench(open: 1, resources: 1...2)
        let path = generations[0].file.path
        let other = path + ".other"
        try Data(repeating: 7, count: Int(Self.length)).write(to: URL(filePath: other))
        #expect(rename(other, path) == 0)
        let error = #expect(throws: CacheError.self) {
            try generations[0].checkedSlice(at: 0, before: 10)
        }
        #expect(error?.code == .io)
        #expect(error?.message.contains(path) == true)
        #expect(!generations[0].isCurrent)
        bench.work.runAll()
        #expect(try bench.cache.open(CacheBench.key(1)) == nil)
        #expect(generations[1].isCurrent)
    }

    @Test("a file that another program removed is not read either")
    func vanished() throws {
        let (bench, generations) = try Self.bench(open: 1, resources: 1...2)
        #expect(unlink(generations[0].file.path) == 0)
        #expect(throws: CacheError.self) { try generations[0].checkedSlice(at: 0, before: 10) }
        bench.work.runAll()
        #expect(try bench.cache.open(CacheBench.key(1)) == nil)
    }

    @Test("without a free descriptor the read is an error, and works when there is one")
    func exhausted() throws {
        let (bench, generations) = try Self.bench(open: 1, resources: 1...2)
        bench.files.fail(.open, ".data", with: EMFILE)
        let error = #expect(throws: CacheError.self) {
            try generations[0].checkedSlice(at: 0, before: 10)
        }
        #expect(error?.code == .exhausted)
        #expect(generations[0].isCurrent)
        bench.files.heal()
        #expect(try generations[0].firstWrongByte(seed: 1) == nil)
    }

    @Test("a user reads a resource to its end, though it is removed while its file is closed")
    func removedWhileClosed() throws {
        let (bench, _) = try Self.bench(open: 1, resources: 1...1)
        let used = try #require(try bench.cache.open(CacheBench.key(1)))
        try bench.keep(2, 0..<Self.length)
        #expect(used.slice(.whole) == nil, "it is closed")
        #expect(try bench.cache.remove(identifier: CacheBench.key(1).identifier))
        #expect(!used.isCurrent)
        try bench.keep(3, 0..<Self.length)
        #expect(try used.firstWrongByte(seed: 1) == nil)
        #if os(Linux)
        #expect(bench.deleted.count == 1)
        #endif
        used.release()
        #expect(bench.deleted == [])
    }

    @Test("a reader that is not a user keeps a removed resource for as long as it reads")
    func lease() throws {
        let (bench, generations) = try Self.bench(open: 1, resources: 1...1)
        var lease: GenerationLease? = generations[0].lease()
        try bench.keep(2, 0..<Self.length)
        try bench.cache.removeAll()
        #expect(try generations[0].firstWrongByte(seed: 1) == nil)
        #expect(lease != nil)
        lease = nil
        #expect(bench.deleted == [])
        #expect(throws: CacheError.self) { try generations[0].checkedSlice(at: 0, before: 10) }
    }

    @Test("a removal frees its bytes at once, though the resource is in memory")
    func removedWhileUnused() throws {
        // More resources than the cache keeps in memory.
        let (bench, generations) = try Self.bench(open: 128, resources: 1...40)
        let removal = try bench.cache.removeAll()
        #expect(removal == CacheRemoval(resourceCount: 40, byteCount: 40 * Self.length))
        #expect(bench.deleted == [])
        #expect(bench.cache.openFileCount == 0)
        #expect(generations.allSatisfy { !$0.isCurrent && $0.slice(.whole) == nil })
    }

    @Test("a resource has one generation in memory, however long it was unused")
    func one() throws {
        let (bench, generations) = try Self.bench(open: 4, resources: 1...40)
        for number in 1...40 {
            let found = try bench.cache.open(CacheBench.key(number))
            #expect(found === generations[number - 1])
            found?.release()
        }
        bench.work.runAll()
    }

    @Test(
        "a resource without a journal is kept while the cache is open, evicted for room, and removed at the end"
    )
    func withoutJournal() throws {
        let bench = try CacheBench(limit: 250_000)
        func keep(_ number: Int) throws -> Generation {
            let generation = try bench.cache.create(
                CacheBench.key(number),
                description: ResourceDescription(length: Self.length),
                persistent: false
            )
            try generation.write(pattern: 0..<Self.length)
            generation.releaseKeeping()
            bench.work.runAll()
            return generation
        }
        let generations = try (1...3).map(keep)
        #expect(generations.map(\.isCurrent) == [false, true, true])
        #expect(bench.deleted == [])
        #expect(try bench.cache.open(CacheBench.key(2)) === generations[1])
        generations[1].releaseKeeping()
        bench.work.runAll()
        #expect(generations[1].isCurrent)
        generations[1].forget()
        bench.work.runAll()
        #expect(!generations[1].isCurrent)
        #expect(try bench.cache.open(CacheBench.key(2)) == nil)
        #expect(bench.stored.count == 1)
    }
}

extension CacheBench {
    /// The open files below the directory that no longer have a name; Linux reports them.
    var deleted: [String] {
        let links = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return links.compactMap { link in
            let target = try? FileManager.default.destinationOfSymbolicLink(
                atPath: "/proc/self/fd/\(link)"
            )
            return target.flatMap {
                $0.hasPrefix(self.cache.directory) && $0.hasSuffix("(deleted)") ? $0 : nil
            }
        }
    }
}
