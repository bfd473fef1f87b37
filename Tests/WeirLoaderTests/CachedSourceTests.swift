// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirCache
import WeirLoader
import WeirSource
import WeirTestKit

@Suite("The requests of a cached source", .timeLimit(.minutes(1)))
struct CachedSourceTests {
    @Test("sixteen readers of a cold resource cost one request and every byte once")
    func sixteenReaders() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 1 << 20))
        let expected = PatternBytes.bytes(in: 0..<(1 << 20))
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<16 { group.addTask { try await scene.bytes(.whole) == expected } }
            for try await isRight in group { #expect(isRight) }
        }
        #expect(scene.origin.log.demands.count == 1)
        #expect(scene.origin.log.byteCount == 1 << 20)
    }

    @Test("bytes that were read once are read again without the origin, also after a restart")
    func readAgain() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 300_000))
        _ = try await scene.bytes(.span(100_000..<200_000))
        scene.origin.refuse(with: SourceError(.unreachable, "gone"), times: nil)
        #expect(
            try await scene.bytes(.span(100_000..<200_000))
                == PatternBytes.bytes(in: 100_000..<200_000)
        )
        let other = scene.another()
        var bytes: [UInt8] = []
        for try await chunk in try await other.read(.span(120_000..<130_000)) {
            bytes += try chunk.bytes()
        }
        #expect(bytes == PatternBytes.bytes(in: 120_000..<130_000))
        #expect(scene.origin.log.demands.count == 1)
    }

    @Test("seeks leave no gap when the rest is read, and no byte comes twice")
    func seeksAllOver() async throws {
        var generator = SeededGenerator(seed: 7)
        let length: Int64 = 1_000_000
        let scene = try LoaderScene(ScriptedResource(length: length))
        for _ in 0..<40 {
            let lower = Int64.random(in: 0..<length, using: &generator)
            let upper = min(length, lower + Int64.random(in: 1...60_000, using: &generator))
            #expect(
                try await scene.bytes(.span(lower..<upper)) == PatternBytes.bytes(in: lower..<upper)
            )
        }
        #expect(try await scene.bytes(.whole) == PatternBytes.bytes(in: 0..<length))
        #expect(scene.origin.log.repeatedByteCount == 0, "seed 7")
        #expect(scene.source.availability.isComplete)
    }

    @Test("a seek far ahead is served although the first request has stalled")
    func tailDoesNotWait() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 1_000_000))
        let gate = scene.origin.hold(before: 16_384)
        let head = try await scene.source.read(.whole)
        let iterator = head.makeAsyncIterator()
        _ = try await iterator.next()
        #expect(
            try await scene.bytes(.from(900_000)) == PatternBytes.bytes(in: 900_000..<1_000_000)
        )
        gate.open()
        var rest: Int64 = 16_384
        while let chunk = try await iterator.next() { rest += Int64(chunk.count) }
        #expect(rest == 1_000_000)
        #expect(scene.origin.log.byteCount <= 1_000_000 + 16_384)
    }

    @Test("when the last reader leaves, the request stays open for a moment and then ends")
    func leaving() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 10_000_000))
        do {
            let reading = try await scene.source.read(.whole)
            for try await _ in reading { break }
        }
        await scene.clock.waitForSleepers(1)
        #expect(scene.origin.log.byteCount < 200_000)
        scene.clock.advance(by: .milliseconds(250))
        try await scene.origin.waitForDepartures(1)
    }

    @Test("a reader that returns in time continues the same request")
    func comingBack() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 10_000_000))
        do {
            let reading = try await scene.source.read(.whole)
            for try await _ in reading { break }
        }
        await scene.clock.waitForSleepers(1)
        let next = try await scene.source.read(.from(16_384))
        for try await _ in next { break }
        #expect(scene.origin.log.demands.count == 1)
    }

    @Test("a change in mid-read ends the reader, and the next read gets the new one whole")
    func change() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 500_000, seed: 1))
        _ = try await scene.bytes(.span(0..<100_000))
        scene.origin.replace(with: ScriptedResource(length: 500_000, seed: 2))
        await #expect(throws: SourceError.self) { _ = try await scene.bytes(.whole) }
        #expect(try await scene.bytes(.whole) == PatternBytes.bytes(in: 0..<500_000, seed: 2))
        #expect(try scene.cache.resources().count == 1)
    }

    @Test("without a validator a changed file is noticed at the overlap")
    func changeWithoutValidator() async throws {
        var first = ScriptedResource(length: 500_000, seed: 1)
        first.validator = nil
        var second = ScriptedResource(length: 500_000, seed: 2)
        second.validator = nil
        let scene = try LoaderScene(first)
        _ = try await scene.bytes(.span(0..<100_000))
        scene.origin.replace(with: second)
        // A reader that has no byte yet gets the current version.
        #expect(
            try await scene.bytes(.from(100_000))
                == PatternBytes.bytes(in: 100_000..<500_000, seed: 2)
        )
        #expect(try await scene.bytes(.whole) == PatternBytes.bytes(in: 0..<500_000, seed: 2))
    }

    @Test("without a validator a changed file is noticed where a fetch meets held bytes behind it")
    func changeBehind() async throws {
        var first = ScriptedResource(length: 500_000, seed: 1)
        first.validator = nil
        var second = ScriptedResource(length: 500_000, seed: 2)
        second.validator = nil
        for lower: Int64 in [0, 150_000, 199_999] {
            let scene = try LoaderScene(first)
            _ = try await scene.bytes(.span(200_000..<300_000))
            scene.origin.replace(with: second)
            var received: [UInt8] = []
            do {
                for try await chunk in try await scene.source.read(.span(lower..<300_000)) {
                    received += try chunk.bytes()
                }
            } catch let error as SourceError {
                #expect(error.code == .changed)
            }
            let new = PatternBytes.bytes(in: lower..<300_000, seed: 2)
            let isNew = received == Array(new.prefix(received.count))
            #expect(isNew, "from \(lower)")
            let whole = try await scene.bytes(.whole)
            let isWhole = whole == PatternBytes.bytes(in: 0..<500_000, seed: 2)
            #expect(isWhole, "from \(lower)")
        }
    }

    @Test("without a validator a changed file is noticed where a range touches no held bytes")
    func changeApart() async throws {
        var first = ScriptedResource(length: 500_000, seed: 1)
        first.validator = nil
        var second = ScriptedResource(length: 500_000, seed: 2)
        second.validator = nil
        for range in [300_000..<400_000, 100_000..<190_000] as [Range<Int64>] {
            let scene = try LoaderScene(first)
            _ = try await scene.bytes(.span(0..<50_000))
            _ = try await scene.bytes(.span(190_000..<200_000))
            let before = try await scene.source.describe().generation
            scene.origin.replace(with: second)
            // A regression: the new bytes went into the old generation, whose other bytes stayed
            // old.
            let bytes = try await scene.bytes(.span(range))
            #expect(bytes == PatternBytes.bytes(in: range, seed: 2))
            #expect(try await scene.source.describe().generation != before)
            let whole = try await scene.bytes(.whole)
            #expect(whole == PatternBytes.bytes(in: 0..<500_000, seed: 2))
        }
    }

    @Test(
        "without a validator a range that touches no held bytes is claimed only after the comparison"
    )
    func looksFirst() async throws {
        var resource = ScriptedResource(length: 500_000, seed: 1)
        resource.validator = nil
        let scene = try LoaderScene(resource)
        _ = try await scene.bytes(.span(0..<50_000))
        // The request that compares the held bytes stops before its first byte.
        let gate = scene.origin.hold(before: 50_000 - 4096)
        let range: Range<Int64> = 300_000..<400_000
        let reader = Task { try await scene.bytes(.span(range)) }
        try await gate.waitForWaiters(1)
        #expect(scene.source.availability.held == RangeSet(0..<50_000))
        gate.open()
        #expect(try await reader.value == PatternBytes.bytes(in: range))
        #expect(scene.origin.log.repeatedByteCount == 4096)
    }

    @Test("without a validator an unchanged file is joined, and few bytes come twice")
    func joinedWithoutValidator() async throws {
        var resource = ScriptedResource(length: 500_000, seed: 1)
        resource.validator = nil
        let scene = try LoaderScene(resource)
        for range in [200_000..<300_000, 499_000..<500_000, 100_000..<120_000] as [Range<Int64>] {
            #expect(try await scene.bytes(.span(range)) == PatternBytes.bytes(in: range))
        }
        #expect(try await scene.bytes(.whole) == PatternBytes.bytes(in: 0..<500_000))
        // Each boundary of two runs costs one comparison of 4 KiB; so does each request that
        // touches no held bytes.
        #expect(scene.origin.log.repeatedByteCount <= 8 * 4096)
        #expect(try scene.cache.resources().isEmpty)
    }

    @Test("a late message of the old version's request does not count for the new request")
    func lateNews() async throws {
        // A regression: both plans number their requests. A cancelled old request ended the new
        // request with the same number.
        var (old, new) = (
            ScriptedResource(length: 100_000, seed: 1), ScriptedResource(length: 100_000, seed: 2)
        )
        old.validator = nil
        new.validator = nil
        for _ in 0..<60 {
            let scene = try LoaderScene(old)
            _ = try await scene.bytes(.span(0..<50_000))
            scene.origin.replace(with: new)
            let rest = try await scene.bytes(.from(50_000))
            #expect(rest == PatternBytes.bytes(in: 50_000..<100_000, seed: 2))
        }
    }

    @Test("the whole is kept although its reader read one chunk")
    func keepsWhole() async throws {
        var policy = LoaderScene.smallPolicy
        policy.prefetch = .whole
        let scene = try LoaderScene(ScriptedResource(length: 2_000_000), policy: policy)
        let changes = scene.source.availabilityChanges()
        do {
            let reading = try await scene.source.read(.from(1_000_000))
            for try await _ in reading { break }
        }
        for await availability in changes where availability.isComplete { break }
        #expect(scene.origin.log.byteCount == 2_000_000)
    }

    @Test(
        "with a policy that keeps the whole, reading held bytes fetches the rest, also after a restart"
    )
    func keepsWholeFromHeldBytes() async throws {
        let length: Int64 = 1_000_000
        let first = try LoaderScene(ScriptedResource(length: length))
        _ = try await first.bytes(.span(0..<100_000))
        await first.source.close()
        var policy = LoaderScene.smallPolicy
        policy.prefetch = .whole
        let scene = try LoaderScene(restarting: first, policy: policy)
        await scene.source.openHeld()
        #expect(scene.slice(.span(0..<1000)) == nil)
        #expect(try await scene.bytes(.span(0..<1000)) == PatternBytes.bytes(in: 0..<1000))
        for await now in scene.source.availabilityChanges() where now.isComplete { break }
        #expect(scene.slice(.span(0..<1000)) != nil)
        #expect(scene.origin.log.repeatedByteCount == 0)
    }

    @Test("a failure reaches the reader that waits, and the next reader tries again")
    func failure() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 500_000))
        scene.origin.fail(at: 200_000, with: SourceError(.unreachable, "the line broke"))
        await #expect(throws: SourceError.self) { _ = try await scene.bytes(.whole) }
        #expect(try await scene.bytes(.whole) == PatternBytes.bytes(in: 0..<500_000))
        #expect(scene.origin.log.repeatedByteCount == 0)
    }

    @Test("a closed source ends its readers and refuses new ones")
    func closing() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 500_000))
        _ = scene.origin.hold(before: 100_000)
        let reading = try await scene.source.read(.whole)
        let reader = Task { for try await _ in reading {} }
        try await scene.origin.waitForBytes(90_000)
        await scene.source.close()
        await #expect(throws: SourceError.self) { try await reader.value }
        await #expect(throws: SourceError.self) { _ = try await scene.source.read(.whole) }
    }

    // A regression: the source released its generation when its last reader left, some time after
    // `close`. That counted as a use. The next resource had been used before it, and was evicted
    // first.
    @Test("a closed source releases its generation, even while a reader exists")
    func closingGivesBack() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 500_000))
        let reading = try await scene.source.read(.whole)
        _ = try await reading.makeAsyncIterator().next()
        await scene.source.close()
        scene.cache.limits = CacheLimits(byteCount: 1)
        #expect(try scene.cache.resources().isEmpty)
        withExtendedLifetime(reading) {}
    }

    @Test("a source reads past a cache that cannot keep anything")
    func withoutCache() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 500_000))
        scene.cache.close()
        #expect(try await scene.source.describe().length == 500_000)
        #expect(try await scene.bytes(.whole) == PatternBytes.bytes(in: 0..<500_000))
        #expect(try await scene.bytes(.suffix(10)) == PatternBytes.bytes(in: 499_990..<500_000))
    }

    @Test("a source reads past a cache that fails in mid-read, from that byte on")
    func losingTheCache() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 500_000))
        let gate = scene.origin.hold(before: 100_000)
        let reading = try await scene.source.read(.whole)
        let reader = Task {
            var bytes: [UInt8] = []
            for try await chunk in reading { bytes += try chunk.bytes() }
            return bytes
        }
        try await scene.origin.waitForBytes(90_000)
        scene.cache.close()
        gate.open()
        #expect(try await reader.value == PatternBytes.bytes(in: 0..<500_000))
    }

    @Test("a reading of unavailable bytes does not start")
    func startsWithItsFirstByte() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 500_000))
        _ = try await scene.bytes(.span(0..<100_000))
        scene.origin.refuse(with: SourceError(.unreachable, "gone"), times: nil)
        await #expect(throws: SourceError.self) { _ = try await scene.source.read(.from(499_990)) }
    }

    @Test("a seek returns with the origin's answer, before its first byte")
    func startsWithTheAnswer() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 500_000))
        _ = try await scene.bytes(.span(0..<100_000))
        let gate = scene.origin.hold(before: 400_000)
        let reading = try await scene.source.read(.from(400_000))
        #expect(reading.lowerBound == 400_000)
        gate.open()
        var bytes: [UInt8] = []
        for try await chunk in reading {
            bytes += try chunk.memory().withUnsafeBytes { Array($0) }
        }
        #expect(bytes == PatternBytes.bytes(in: 400_000..<500_000))
    }

    @Test("a reader that joins an older request gets the whole of a newer version")
    func joinsAnOldAnswer() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 500_000, seed: 1))
        let first = try await scene.source.read(.whole)
        let iterator = first.makeAsyncIterator()
        _ = try await iterator.next()
        // The first request pauses after the read-ahead, and finds the change when it continues.
        let held: Int64 = 64 << 10
        try await scene.origin.waitForBytes(held)
        scene.origin.replace(with: ScriptedResource(length: 500_000, seed: 2), running: .fail)
        #expect(
            try await scene.bytes(.from(held))
                == PatternBytes.bytes(in: held..<500_000, seed: 2)
        )
    }

    @Test("a seek in a resource without a validator waits for its first byte")
    func startsWithItsByteWithoutValidator() async throws {
        var (old, new) = (
            ScriptedResource(length: 500_000, seed: 1), ScriptedResource(length: 500_000, seed: 2)
        )
        (old.validator, new.validator) = (nil, nil)
        let scene = try LoaderScene(old)
        _ = try await scene.bytes(.span(0..<100_000))
        let gate = scene.origin.hold(before: 400_000)
        let reading = Task { try await scene.source.read(.from(400_000)) }
        try await gate.waitForWaiters(1)
        scene.origin.replace(with: new, running: .fail)
        gate.open()
        let bytes = try await reading.value.reduce(into: [UInt8]()) { bytes, chunk in
            bytes += try chunk.memory().withUnsafeBytes { Array($0) }
        }
        #expect(bytes == PatternBytes.bytes(in: 400_000..<500_000, seed: 2))
    }

    @Test("a resource of which no byte arrived leaves nothing in the cache")
    func leavesNothing() async throws {
        let scene = try LoaderScene(ScriptedResource(length: 500_000))
        scene.origin.fail(at: 0, with: SourceError(.truncated, "cut"), times: nil)
        await #expect(throws: SourceError.self) { _ = try await scene.bytes(.whole) }
        #expect(try scene.cache.resources().isEmpty)
    }
}
