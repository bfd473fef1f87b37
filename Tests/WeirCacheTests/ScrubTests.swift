// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("The scrub", .timeLimit(.minutes(1)))
struct ScrubTests {
    /// Three resources that this process has not read.
    private static func bench(limits: CacheLimits? = nil) throws -> CacheBench {
        let first = try CacheBench()
        for number in 0..<3 { try first.keep(number, 0..<2_500_000) }
        first.cache.close()
        return try CacheBench(limits: limits, in: first.directory, later: .seconds(60))
    }

    @Test("compares everything once, a MiB at a time, at its own pace")
    func pace() async throws {
        let bench = try Self.bench()
        let clock = ManualClock()
        let cache = bench.cache
        async let result = cache.scrub(bytesPerSecond: 1 << 20, clock: clock)
        for _ in 0..<3 {
            for pause in [Duration.seconds(1), .seconds(1)] {
                await clock.waitForSleepers(1)
                #expect(clock.remainingSleeps == [pause])
                clock.advance(by: pause)
            }
            await clock.waitForSleepers(1)
            #expect(clock.remainingSleeps.first.map { $0 < .seconds(1) } == true)
            clock.advance(by: .seconds(1))
        }
        #expect(
            try await result == CacheVerification(soundByteCount: 7_500_000, damagedByteCount: 0)
        )
        let again = try await bench.cache.scrub(bytesPerSecond: 1, clock: clock)
        #expect(again.soundByteCount == 0, "compared bytes are skipped")
    }

    @Test("finds damage, and leaves the order of use as it was")
    func damage() async throws {
        let bench = try Self.bench()
        let path = try #require(
            bench.fileNames.first {
                $0.hasSuffix(".data") && $0.contains(CacheBench.key(1).identifier)
            }
        )
        let file = try FileHandle(forUpdating: URL(filePath: bench.cache.directory + "/" + path))
        try file.seek(toOffset: 1_234_567)
        try file.write(contentsOf: Data([0, 0]))
        try file.close()
        let before = try bench.cache.resources().map(\.lastUse)
        let result = try await bench.cache.scrub(bytesPerSecond: .max)
        #expect(result.damagedByteCount == 65_536)
        #expect(result.soundByteCount == 7_500_000 - 65_536)
        bench.work.runAll()
        #expect(try bench.cache.resources().map(\.lastUse) == before)
        #expect(bench.cache.heldByteCount == 7_500_000 - 65_536)
        let healed = try #require(try bench.cache.open(CacheBench.key(1)))
        #expect(!healed.holds(1_234_567..<1_234_568))
    }

    @Test("ends when it is cancelled, and releases its resource")
    func cancelled() async throws {
        let bench = try Self.bench()
        let clock = ManualClock()
        let task = Task { [cache = bench.cache] in
            try await cache.scrub(bytesPerSecond: 1, clock: clock)
        }
        await clock.waitForSleepers(1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        bench.cache.limits.byteCount = 0
        bench.work.runAll()
        #expect(try bench.cache.resources().isEmpty)
    }
}
