// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import Testing
import WeirCacheTestSupport
import WeirSource
import WeirTestKit

@testable import WeirCache

@Suite("A power cut at any moment")
struct PowerCutTests {
    /// The state of a resource that must be found after a power cut.
    private struct Promise {
        /// The version that must be found, or a newer one; `nil` if the resource must not be found.
        var version: UInt64?
        /// The ranges of that version that must be held.
        var held = RangeSet<Int64>()
    }

    /// One run in `make test`; `make long` runs more.
    static let seeds: ClosedRange<UInt64> =
        1...TestLength.short(1, long: 12)

    private static let length: Int64 = 400_000
    private static let resources = 3

    /// A recorded run: writes, new versions, removals and compactions of three resources.
    private final class Run {
        let directory = TemporaryDirectory()
        let files = ScriptedFiles(keepsBytes: true)
        /// The promises that hold from the end of each round on.
        var promises: [[Promise]] = []
        /// How many operations were performed by the end of each round.
        var ends: [Int] = []

        var root: String { self.directory.path(of: "cache") }

        init(seed: UInt64, rounds: Int) throws {
            // The synchronizations are skipped: the test needs only the order of the operations.
            self.files.answer { $0.operation == .synchronize ? .skips : .goesOn }
            var generator = SeededGenerator(seed: seed)
            let work = ManualWork()
            let cache = try Cache(
                directory: self.directory.path(of: "cache"),
                limits: CacheLimits(),
                observer: nil,
                files: self.files,
                work: work,
                now: Cache.timeOfDay
            )
            var current = [Promise](repeating: Promise(), count: PowerCutTests.resources)
            var open = [Generation?](repeating: nil, count: PowerCutTests.resources)
            var version: UInt64 = 0
            for _ in 0..<rounds {
                let number = Int.random(in: 0..<PowerCutTests.resources, using: &generator)
                switch (open[number], Int.random(in: 0..<12, using: &generator)) {
                case (nil, _), (_, 0):
                    open[number]?.release()
                    version += 1
                    open[number] = try cache.create(
                        CacheBench.key(number),
                        description: ResourceDescription(
                            length: PowerCutTests.length,
                            validator: .revision("\(version)")
                        ),
                        persistent: true
                    )
                    work.runAll()
                    current[number] = Promise(version: version)
                case (_?, 1):
                    open[number]?.release()
                    open[number] = nil
                    try cache.remove(identifier: CacheBench.key(number).identifier)
                    current[number] = Promise()
                case (let generation?, let choice):
                    for _ in 0..<Int.random(in: 1...4, using: &generator) {
                        let lower = Int64.random(in: 0..<PowerCutTests.length, using: &generator)
                        let count = Int64.random(
                            in: 1...(choice < 4 ? 70_000 : 700),
                            using: &generator
                        )
                        let seed = current[number].version ?? 0
                        try generation.write(
                            pattern: lower..<min(PowerCutTests.length, lower + count),
                            seed: seed
                        )
                    }
                    // Some rounds end without a checkpoint.
                    if choice > 2 {
                        work.advance(by: .milliseconds(500))
                        current[number].held = generation.held
                        // The cache does the same with a journal that has become too long.
                        if choice > 9 { #expect(generation.rewriteJournal(cache.files.disk)) }
                    }
                }
                self.promises.append(current)
                self.ends.append(self.files.log.count)
            }
        }
    }

    @Test(
        "loses nothing of the last checkpoint, brings no removed resource back, and leaves no wrong byte",
        arguments: PowerCutTests.seeds
    )
    func anywhere(seed: UInt64) throws {
        let run = try Run(seed: seed, rounds: 30)
        var generator = SeededGenerator(seed: seed)
        var image = DiskImage()
        var cuts = 0
        /// The last finished round.
        var round: Int?
        func cut() throws {
            let target = run.directory.path(of: "cut-\(cuts)")
            try image.cut(from: run.root, to: target, using: &generator)
            try Self.check(
                target,
                round.map { run.promises[$0] } ?? [],
                later: run.promises,
                from: round,
                "seed \(seed), cut \(cuts)"
            )
            try FileManager.default.removeItem(atPath: target)
            cuts += 1
        }
        var ends = run.ends.enumerated().makeIterator()
        var next = ends.next()
        for (index, call) in run.files.log.enumerated() {
            if image.happened(call) { try cut() }
            // The test cuts the power in the same state again: now the disk must hold the round's
            // promises.
            while let end = next, end.element == index + 1 {
                round = end.offset
                next = ends.next()
                try cut()
            }
        }
        #expect(round == run.ends.count - 1)
        #expect(cuts > 100)
    }

    /// Opens the directory after a power cut and compares it with the promises.
    private static func check(
        _ directory: String,
        _ promised: [Promise],
        later: [[Promise]],
        from index: Int?,
        _ place: String
    ) throws {
        let cache = try Cache(directory: directory)
        defer { cache.close() }
        // The operations after a promise belong to the next round, which may be finished.
        let next =
            index.map { $0 + 1 < later.count ? later[$0 + 1] : promised } ?? later.first ?? []
        for number in 0..<Self.resources {
            let promise = number < promised.count ? promised[number] : Promise()
            let coming = number < next.count ? next[number] : promise
            guard let found = try cache.open(CacheBench.key(number)) else {
                // A promised resource may be missing if it held nothing or is about to be removed.
                #expect(
                    promise.held.isEmpty || coming.version == nil,
                    "\(place): resource \(number) is lost"
                )
                continue
            }
            defer { found.release() }
            guard case .revision(let name) = found.description.validator, let version = UInt64(name)
            else {
                Issue.record("\(place): resource \(number) has no version")
                continue
            }
            #expect(
                version == promise.version || version == coming.version,
                "\(place): version \(version)"
            )
            #expect(try found.firstWrongByte(seed: version) == nil, "\(place): resource \(number)")
            if version == promise.version {
                #expect(
                    found.held.isSuperset(of: promise.held),
                    "\(place): resource \(number) lost bytes"
                )
            }
        }
    }
}
