// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirLoader

/// The number of requests for 1 to 64 clients of a cold resource.
///
/// Arrivals, responses, pieces and readings come in any order (law 1, in requests).
@Suite("The number of requests for a crowd of readers", .timeLimit(.minutes(5)))
struct CrowdPlanTests {
    private static let length: Int64 = 256 << 20
    private static let seeds = 1...UInt64(TestLength.short(12, long: 700))

    /// Ranges for 1 to 64 clients, up to three for each, drawn by a function.
    private static func crowd(
        _ generator: inout SeededGenerator,
        most: Int = 3,
        _ range: (inout SeededGenerator) -> Range<Int64>
    ) -> [[Range<Int64>]] {
        (0..<Int.random(in: 1...64, using: &generator)).map { _ in
            (0..<Int.random(in: 1...most, using: &generator)).map { _ in range(&generator) }
        }
    }

    /// A range of at most `size` bytes in its own part of the resource.
    ///
    /// Two different ranges do not touch; some are drawn twice.
    private static func separate(_ size: Int64, _ generator: inout SeededGenerator)
        -> Range<Int64>
    {
        let count = min(Self.length / (size + 1), 100)
        let index = Int64.random(in: 0..<count, using: &generator)
        var own = SeededGenerator(seed: UInt64(index))
        let start = index * (size + 1)
        return start..<start + Int64.random(in: 1...size, using: &own)
    }

    /// A range of at most `size` bytes that starts before `end`.
    private static func anywhere(
        below end: Int64,
        _ size: Int64,
        _ generator: inout SeededGenerator
    ) -> Range<Int64> {
        let start = Int64.random(in: 0..<end, using: &generator)
        let count = Int64.random(in: 1...size, using: &generator)
        return start..<min(start + count, Self.length)
    }

    private static func outcome(
        _ ranges: [[Range<Int64>]],
        _ generator: inout SeededGenerator,
        _ change: (inout CrowdScene.Pace) -> Void = { _ in }
    ) -> CrowdScene.Outcome {
        var pace = CrowdScene.Pace.drawn(by: &generator)
        change(&pace)
        var scene = CrowdScene(ranges, length: Self.length, pace: pace, generator: generator)
        return scene.run()
    }

    @Test("short ranges that do not touch cost one request each, in turn")
    func separateRanges() {
        for seed in Self.seeds {
            var generator = SeededGenerator(seed: seed)
            // The request for a longer range could pause until its reader catches up, and lose its place to another
            // range.
            let sizes = [1, 100, 65_536, LoadPolicy().readAhead]
            let size = sizes.randomElement(using: &generator) ?? 1
            let ranges = Self.crowd(&generator) { Self.separate(size, &$0) }
            let outcome = Self.outcome(ranges, &generator)
            #expect(outcome.failure == nil, "seed \(seed)")
            #expect(outcome.requests == outcome.runs, "seed \(seed)")
            #expect(outcome.bytes == outcome.demanded.byteCount, "seed \(seed)")
            #expect(outcome.longestWait <= 2 * ranges.count, "seed \(seed)")
        }
    }

    @Test("ranges that touch or overlap cost at most 1.1 requests for each run that a demand adds")
    func anyRanges() {
        for seed in Self.seeds {
            var generator = SeededGenerator(seed: seed)
            let size: Int64 = [1, 100, 65_536, 1 << 19].randomElement(using: &generator) ?? 1
            let end = size * ([4, 20, 200].randomElement(using: &generator) ?? 4)
            let ranges = Self.crowd(&generator) { Self.anywhere(below: end, size, &$0) }
            let outcome = Self.outcome(ranges, &generator)
            #expect(outcome.failure == nil, "seed \(seed)")
            #expect(10 * outcome.requests <= 11 * outcome.additions, "seed \(seed)")
        }
    }

    @Test(
        "a crowd that comes at once costs a request for each run of all its demands, and three more at most"
    )
    func burst() {
        for seed in Self.seeds {
            var generator = SeededGenerator(seed: seed)
            let size: Int64 = [1, 100, 5000].randomElement(using: &generator) ?? 1
            let end = size * ([4, 20, 90].randomElement(using: &generator) ?? 4)
            let ranges = Self.crowd(&generator, most: 1) { Self.anywhere(below: end, size, &$0) }
            let outcome = Self.outcome(ranges, &generator) { $0.arrival = 1 << 40 }
            #expect(outcome.failure == nil, "seed \(seed)")
            // The first request is sent before the other clients come, and may cut a run in three. The part behind
            // it may lose its place to another range while its readers wait for the part before it. Then it is
            // requested again.
            #expect(outcome.requests <= outcome.runs + 3, "seed \(seed)")
        }
    }

    @Test("slow clients cost no further request, and each client that leaves costs one at most")
    func slowAndLeaving() {
        for seed in Self.seeds {
            var generator = SeededGenerator(seed: seed)
            let slow = Self.crowd(&generator) { Self.separate(10, &$0) }
            let patient = Self.outcome(slow, &generator) { $0.taken = 1 }
            #expect(patient.failure == nil, "seed \(seed)")
            #expect(patient.requests == patient.runs, "seed \(seed)")
            let leaving = Self.outcome(slow, &generator) {
                ($0.departure, $0.answer, $0.piece, $0.reading) = (1, 30, 30, 30)
            }
            #expect(leaving.failure == nil, "seed \(seed)")
            #expect(leaving.requests <= leaving.runs + leaving.departures, "seed \(seed)")
        }
    }

    @Test("clients that leave while bytes are being written leave no request behind")
    func leavingInMidPiece() {
        for seed in Self.seeds {
            var generator = SeededGenerator(seed: seed)
            let ranges = (0..<6).map { _ in
                [Self.anywhere(below: 3 << 20, 3 << 20, &generator)]
            }
            let outcome = Self.outcome(ranges, &generator) { $0.departure = 1 }
            #expect(outcome.failure == nil, "seed \(seed)")
        }
    }

    @Test(
        "clients that leave before the response leave no request behind",
        arguments: [true, false],
        [PrefetchPolicy.nothing, .first(1000), .whole]
    )
    func leavingBeforeTheResponse(_ ignoresRanges: Bool, _ prefetch: PrefetchPolicy) {
        for seed in Self.seeds {
            var generator = SeededGenerator(seed: seed)
            let length: Int64 = [1, 5000, 3 << 20].randomElement(using: &generator) ?? 1
            let ranges = (0..<4).map { _ in
                [Int64.random(in: 0..<length, using: &generator)..<length]
            }
            var pace = CrowdScene.Pace.drawn(by: &generator)
            pace.departure = pace.answer
            var scene = CrowdScene(
                ranges,
                length: length,
                ignoresRanges: ignoresRanges,
                policy: LoadPolicy(prefetch: prefetch),
                pace: pace,
                generator: generator
            )
            let outcome = scene.run()
            #expect(outcome.failure == nil, "seed \(seed)")
        }
    }

    @Test("longer ranges give up their place only after a reach of bytes for each further request")
    func longRanges() {
        for seed in Self.seeds {
            var generator = SeededGenerator(seed: seed)
            let ranges = Self.crowd(&generator, most: 2) { Self.separate(16 << 20, &$0) }
            let outcome = Self.outcome(ranges, &generator)
            #expect(outcome.failure == nil, "seed \(seed)")
            let paid = outcome.bytes / LoadPolicy().reach
            #expect(Int64(outcome.requests) <= Int64(outcome.runs) + paid, "seed \(seed)")
        }
    }
}
