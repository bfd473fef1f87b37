// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("Many users at once, on the cache's real queue")
struct ConcurrencyTests {
    @Test(
        "readers, writers, removals and evictions at once: nothing wrong is read, nothing is lost",
        arguments: [1, 2]
    )
    func everything(seed: UInt64) async throws {
        let directory = TemporaryDirectory()
        let files = ScriptedFiles()
        let cache = try Cache(
            directory: directory.path,
            limits: CacheLimits(byteCount: 3_000_000),
            files: files
        )
        let idle = files.openCount
        try await withThrowingTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    try await Self.play(cache, seed: seed * 100 + UInt64(task))
                }
            }
            try await group.waitForAll()
        }
        let listed = try cache.resources()
        #expect(listed.reduce(0) { $0 + $1.heldByteCount } == cache.heldByteCount)
        cache.close()
        #expect(files.openCount <= idle + Cache.State.idleLimit)

        let again = try Cache(directory: directory.path)
        #expect(try again.resources() == listed)
        for number in 0..<6 {
            guard let generation = try again.open(CacheBench.key(number)) else { continue }
            #expect(try generation.firstWrongByte(seed: UInt64(number)) == nil, "seed \(seed)")
            generation.release()
        }
        again.close()
    }

    private static func play(_ cache: Cache, seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<60 {
            let number = Int.random(in: 0..<6, using: &generator)
            let key = CacheBench.key(number)
            let isPersistent = Int.random(in: 0..<5, using: &generator) > 0
            let generation =
                try cache.open(key)
                ?? cache.create(
                    key,
                    description: ResourceDescription(
                        length: 1_000_000,
                        validator: isPersistent ? .revision("1") : nil
                    ),
                    persistent: isPersistent
                )
            for _ in 0..<6 {
                let lower = Int64.random(in: 0..<950_000, using: &generator)
                try generation.write(pattern: lower..<lower + 50_000, seed: UInt64(number))
                let slice = try #require(generation.slice(.from(lower)))
                let bytes = try slice.clamped(to: lower..<lower + 1000).load()
                let expected = PatternBytes.bytes(in: lower..<lower + 1000, seed: UInt64(number))
                #expect(bytes.withUnsafeBytes { Array($0) } == expected, "seed \(seed)")
            }
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: try cache.remove(identifier: key.identifier)
            case 1: try await generation.checkpoint()
            case 2: _ = try cache.resources()
            default: break
            }
            generation.release()
        }
    }

    @Test(
        "a cache that is closed during writes loses no saved bytes, and refuses later writes"
    )
    func closedWhileWriting() async throws {
        let directory = TemporaryDirectory()
        let cache = try Cache(directory: directory.path)
        let generation = try cache.create(
            CacheBench.key(),
            description: ResourceDescription(length: nil, validator: .revision("1")),
            persistent: true
        )
        let hasStarted = Gate()
        // The task ends when the cache is closed below; nothing cancels it.
        let writing = Task {
            var count: Int64 = 0
            while true {
                // When all bytes are held a write does nothing, but it still fails once the cache is closed.
                let lower = count % 100_000 * 100
                do {
                    try generation.write(pattern: lower..<lower + 100)
                } catch let error as CacheError where error.code == .closed {
                    return min(count, 100_000)
                }
                count += 1
                if count == 100 { hasStarted.open() }
            }
        }
        try await hasStarted.wait()
        cache.close()
        let refused = try await writing.value
        #expect(refused >= 100)
        let again = try Cache(directory: directory.path)
        let found = try #require(try again.open(CacheBench.key()))
        #expect(found.held == RangeSet([0..<refused * 100]))
        #expect(try found.firstWrongByte() == nil)
        again.close()
    }
}
