// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("Checkpoints in parallel", .timeLimit(.minutes(1)))
struct LaneTests {
    /// A plan, and the pieces of work that it started.
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

    @Test("a lane does its work in order, and lanes run in parallel")
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

    @Test("no more lanes run than the limit, and the lane that has waited longest is next")
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

    @Test("in any order of arrivals and ends, all work is done, in the order of its lane")
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

    /// A file whose next synchronization the test holds up.
    private struct SlowFile {
        /// Signalled when the cache makes the file durable.
        let begun = DispatchSemaphore(value: 0)
        /// The test signals it to let the system make the file durable.
        let mayEnd = DispatchSemaphore(value: 0)

        init(_ path: String, of files: ScriptedFiles) {
            let isSlow = Mutex(true)
            files.answer { [begun, mayEnd] call in
                guard call.operation == .synchronize, call.path == path,
                    isSlow.withLock({ isSlow in
                        defer { isSlow = false }
                        return isSlow
                    })
                else { return .goesOn }
                begun.signal()
                mayEnd.wait()
                return .goesOn
            }
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
        "a slow file delays no claims of another file, nor of a new one"
    )
    func slowFile() async throws {
        let directory = TemporaryDirectory()
        let files = ScriptedFiles()
        let cache = try Cache(directory: directory.path, files: files)
        let (large, small) = (try Self.generation(cache, 1), try Self.generation(cache, 2))
        try await small.checkpoint()
        let slow = SlowFile(large.file.path, of: files)
        try large.write(pattern: 0..<100_000)
        async let saved: Void = large.checkpoint()
        await Self.wait(for: slow.begun)
        // Writes from this point on belong to the next checkpoint of the large file.
        try large.write(pattern: 100_000..<200_000)
        try small.write(pattern: 0..<5000)
        try await small.checkpoint()
        let new = try Self.generation(cache, 3)
        try new.write(pattern: 0..<7000)
        try await new.checkpoint()
        #expect(try Self.claims(directory, small) == RangeSet(0..<5000))
        #expect(try Self.claims(directory, new) == RangeSet(0..<7000))
        #expect(try Self.claims(directory, large) == RangeSet())
        slow.mayEnd.signal()
        try await saved
        #expect(try Self.claims(directory, large).firstMissing(in: 0..<100_000) == nil)
        try await large.checkpoint()
        #expect(try Self.claims(directory, large) == RangeSet(0..<200_000))
        for generation in [large, small, new] { generation.release() }
        cache.close()
    }

    @Test("a resource that is removed during its save leaves no file behind")
    func removedMeanwhile() async throws {
        let directory = TemporaryDirectory()
        let files = ScriptedFiles()
        let cache = try Cache(directory: directory.path, files: files)
        let generation = try Self.generation(cache, 1)
        let slow = SlowFile(generation.file.path, of: files)
        try generation.write(pattern: 0..<100_000)
        async let saved: Void = generation.checkpoint()
        await Self.wait(for: slow.begun)
        async let removed = Self.remove(1, from: cache)
        while generation.isCurrent { await Task.yield() }
        slow.mayEnd.signal()
        #expect(try await removed)
        try await saved
        generation.release()
        cache.close()
        let names = FileManager.default.enumerator(atPath: directory.path)?
            .compactMap { $0 as? String }
            .filter { $0.hasSuffix(".data") || $0.contains(".journal") }
        #expect(names == [])
    }

    /// The ranges that a generation's journal on disk claims.
    private static func claims(
        _ directory: TemporaryDirectory,
        _ generation: Generation
    ) throws -> RangeSet<Int64> {
        let path = StoredFileName(generation.key, generation.id, .journal).path(in: directory.path)
        return try Journal(Array(try Data(contentsOf: URL(filePath: path))), dataSize: .max).held
    }

    /// Removes a resource on a thread of its own, not on the threads that tasks share: the call
    /// waits for the disk.
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

    /// Waits on a thread of its own, not on the threads that tasks share.
    private static func wait(for semaphore: DispatchSemaphore) async {
        await withCheckedContinuation { continuation in
            Thread.detachNewThread {
                semaphore.wait()
                continuation.resume()
            }
        }
    }
}
