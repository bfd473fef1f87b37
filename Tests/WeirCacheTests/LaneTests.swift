// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("Checkpoints beside each other", .timeLimit(.minutes(1)))
struct LaneTests {
    /// What a plan started, and what ended it.
    private struct Transcript {
        var plan: LanePlan<String, Int>
        var started: [String] = []

        init(width: Int) { self.plan = LanePlan(width: width) }

        mutating func add(_ work: Int, _ lane: String) {
            self.note(self.plan.added(work, to: lane))
        }

        mutating func end(_ lane: String) {
            self.note(self.plan.ended(lane))
        }

        private mutating func note(_ start: LanePlan<String, Int>.Start?) {
            if let start { self.started.append("\(start.lane)\(start.work)") }
        }
    }

    @Test("a lane does one thing after the other, in order; lanes do theirs beside each other")
    func order() {
        var lanes = Transcript(width: 8)
        for work in 1...3 { lanes.add(work, "a") }
        lanes.add(1, "b")
        #expect(lanes.started == ["a1", "b1"])
        lanes.end("a")
        lanes.end("a")
        lanes.end("a")
        lanes.end("b")
        #expect(lanes.started == ["a1", "b1", "a2", "a3"])
        #expect(lanes.plan.isIdle)
    }

    @Test("no more run than may, and the lane that has waited longest is next")
    func width() {
        var lanes = Transcript(width: 2)
        lanes.add(1, "a")
        lanes.add(2, "a")
        lanes.add(1, "b")
        lanes.add(1, "c")
        lanes.add(1, "d")
        #expect(lanes.started == ["a1", "b1"])
        lanes.end("a")
        #expect(lanes.started == ["a1", "b1", "c1"])
        lanes.end("c")
        #expect(lanes.started == ["a1", "b1", "c1", "d1"])
        lanes.end("b")
        #expect(lanes.started == ["a1", "b1", "c1", "d1", "a2"])
    }

    @Test("whatever comes and ends in whatever order, all is done, in the order of its lane")
    func property() {
        for seed in 0..<200 as Range<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let width = Int.random(in: 1...4, using: &generator)
            var plan = LanePlan<Int, Int>(width: width)
            var running: [Int] = []
            var done: [Int: [Int]] = [:]
            var added: [Int: [Int]] = [:]
            for step in 0..<100 {
                let start: LanePlan<Int, Int>.Start?
                if running.isEmpty || Bool.random(using: &generator) {
                    let lane = Int.random(in: 0..<6, using: &generator)
                    added[lane, default: []].append(step)
                    start = plan.added(step, to: lane)
                } else {
                    let place = Int.random(in: 0..<running.count, using: &generator)
                    start = plan.ended(running.remove(at: place))
                }
                guard let start else { continue }
                #expect(!running.contains(start.lane), "seed \(seed)")
                running.append(start.lane)
                done[start.lane, default: []].append(start.work)
                #expect(running.count <= width, "seed \(seed)")
            }
            while let lane = running.popLast() {
                guard let start = plan.ended(lane) else { continue }
                running.append(start.lane)
                done[start.lane, default: []].append(start.work)
            }
            #expect(done == added, "seed \(seed)")
            #expect(plan.isIdle, "seed \(seed)")
        }
    }

    /// The system's files, of which one takes as long to become durable as a test wants.
    private final class SlowFiles: FileOperations {
        let base = RecordingFiles()
        private let slow = Mutex<String?>(nil)
        /// Signalled when the slow file is being made durable.
        let begun = DispatchSemaphore(value: 0)
        /// Waited for before it is.
        let mayEnd = DispatchSemaphore(value: 0)
        private let names = Mutex<[CInt: String]>([:])

        func slowDown(_ path: String) { self.slow.withLock { $0 = path } }

        func open(_ path: String, for purpose: FilePurpose) throws(FileFailure) -> CInt {
            let descriptor = try self.base.open(path, for: purpose)
            self.names.withLock { $0[descriptor] = path }
            return descriptor
        }
        func synchronize(_ descriptor: CInt) throws(FileFailure) {
            let name = self.names.withLock { $0[descriptor] }
            let isSlow = self.slow.withLock { slow in
                guard slow != nil, slow == name else { return false }
                slow = nil
                return true
            }
            if isSlow {
                self.begun.signal()
                self.mayEnd.wait()
            }
            try self.base.synchronize(descriptor)
        }
        func close(_ descriptor: CInt) { self.base.close(descriptor) }
        func read(
            _ descriptor: CInt,
            into buffer: UnsafeMutableRawBufferPointer,
            at offset: Int64
        ) throws(FileFailure) -> Int {
            try self.base.read(descriptor, into: buffer, at: offset)
        }
        func write(
            _ descriptor: CInt,
            from buffer: UnsafeRawBufferPointer,
            at offset: Int64
        ) throws(FileFailure) -> Int {
            try self.base.write(descriptor, from: buffer, at: offset)
        }
        func copy(
            _ descriptor: CInt,
            at offset: Int64,
            to target: CInt,
            at targetOffset: Int64,
            count: Int
        ) throws(FileFailure) -> Int {
            try self.base.copy(
                descriptor,
                at: offset,
                to: target,
                at: targetOffset,
                count: count
            )
        }
        func truncate(_ descriptor: CInt, to size: Int64) throws(FileFailure) {
            try self.base.truncate(descriptor, to: size)
        }
        func size(of descriptor: CInt) throws(FileFailure) -> Int64 {
            try self.base.size(of: descriptor)
        }
        func lock(_ descriptor: CInt) throws(FileFailure) -> Bool {
            try self.base.lock(descriptor)
        }
        func rename(_ path: String, to newPath: String) throws(FileFailure) {
            try self.base.rename(path, to: newPath)
        }
        func remove(_ path: String) throws(FileFailure) { try self.base.remove(path) }
        func status(of path: String) throws(FileFailure) -> FileStatus? {
            try self.base.status(of: path)
        }
        func createDirectory(_ path: String) throws(FileFailure) {
            try self.base.createDirectory(path)
        }
        func synchronizeDirectory(_ path: String) throws(FileFailure) {
            try self.base.synchronizeDirectory(path)
        }
        func freeByteCount(ofDirectory path: String) throws(FileFailure) -> Int64 {
            try self.base.freeByteCount(ofDirectory: path)
        }
        func contents(ofDirectory path: String) throws(FileFailure) -> [String] {
            try self.base.contents(ofDirectory: path)
        }
    }

    private static func generation(_ cache: Cache, _ number: Int) throws -> Generation {
        try cache.create(
            CacheBench.key(number),
            description: ResourceDescription(
                length: 1 << 30,
                validator: .entityTag("\"\(number)\"")
            ),
            persistent: true
        )
    }

    @Test(
        "a file that takes long to become durable delays no other one's claims, nor those of one that was just made"
    )
    func slowFile() async throws {
        let directory = TemporaryDirectory()
        let files = SlowFiles()
        let cache = try Cache(directory: directory.path, files: files)
        let (large, small) = (try Self.generation(cache, 1), try Self.generation(cache, 2))
        try await small.checkpoint()
        files.slowDown(large.file.path)
        try large.write(pattern: 0..<100_000)
        async let saved: Void = large.checkpoint()
        await Self.wait(for: files.begun)
        // What is written from here on belongs to the next checkpoint of the large file.
        try large.write(pattern: 100_000..<200_000)
        try small.write(pattern: 0..<5000)
        try await small.checkpoint()
        let new = try Self.generation(cache, 3)
        try new.write(pattern: 0..<7000)
        try await new.checkpoint()
        #expect(try Self.claims(directory, small) == RangeSet(0..<5000))
        #expect(try Self.claims(directory, new) == RangeSet(0..<7000))
        #expect(try Self.claims(directory, large) == RangeSet())
        files.mayEnd.signal()
        try await saved
        #expect(try Self.claims(directory, large).firstMissing(in: 0..<100_000) == nil)
        try await large.checkpoint()
        #expect(try Self.claims(directory, large) == RangeSet(0..<200_000))
        for generation in [large, small, new] { generation.release() }
        cache.close()
    }

    @Test("a resource that is removed while it is being saved leaves no file behind")
    func removedMeanwhile() async throws {
        let directory = TemporaryDirectory()
        let files = SlowFiles()
        let cache = try Cache(directory: directory.path, files: files)
        let generation = try Self.generation(cache, 1)
        files.slowDown(generation.file.path)
        try generation.write(pattern: 0..<100_000)
        async let saved: Void = generation.checkpoint()
        await Self.wait(for: files.begun)
        async let removed = Self.remove(1, from: cache)
        while generation.isCurrent { await Task.yield() }
        files.mayEnd.signal()
        #expect(try await removed)
        try await saved
        generation.release()
        cache.close()
        let names = FileManager.default.enumerator(atPath: directory.path)?
            .compactMap { $0 as? String }
            .filter { $0.hasSuffix(".data") || $0.contains(".journal") }
        #expect(names == [])
    }

    /// What the journal of a generation claims on the disk.
    private static func claims(
        _ directory: TemporaryDirectory,
        _ generation: Generation
    ) throws -> RangeSet<Int64> {
        let path = StoredFileName(generation.key, generation.id, .journal).path(in: directory.path)
        return try Journal(Array(try Data(contentsOf: URL(filePath: path))), dataSize: .max).held
    }

    /// Removes a resource, off the threads that tasks share: it waits for the disk.
    private static func remove(_ number: Int, from cache: Cache) async throws -> Bool {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                continuation.resume(
                    with: Result {
                        try cache.remove(identifier: CacheBench.key(number).identifier)
                    }
                )
            }
        }
    }

    /// Waits off the threads that tasks share.
    private static func wait(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                semaphore.wait()
                continuation.resume()
            }
        }
    }
}
