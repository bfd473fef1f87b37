// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirLoader

@Suite("The bytes of a crowd of readers", .timeLimit(.minutes(5)))
struct CrowdReadingTests {
    @Test("64 readers of short ranges of a cold resource get their bytes, for one request a range")
    func crowd() async throws {
        for seed in 1...UInt64(TestLength.short(4, long: 100)) {
            let scene = try LoaderScene(ScriptedResource(length: 8 << 20, seed: seed))
            let resource = scene.origin.resource
            let gate = scene.origin.holdAnswers()
            try await withThrowingTaskGroup(of: Bool.self) { group in
                for client in 0..<64 {
                    group.addTask {
                        var generator = SeededGenerator(seed: seed &* 100 &+ UInt64(client))
                        var isRight = true
                        for number in 0..<3 {
                            let start = Int64(client * 3 + number) * 40_000
                            let count = Int64.random(in: 1...30_000, using: &generator)
                            let range = start..<start + count
                            let bytes = try await scene.bytes(.span(range))
                            isRight = isRight && bytes == resource.bytes(in: range)
                        }
                        return isRight
                    }
                }
                try await gate.waitForWaiters(1)
                gate.open()
                for try await isRight in group { #expect(isRight, "seed \(seed)") }
            }
            #expect(scene.origin.log.demands.count == 64 * 3, "seed \(seed)")
            #expect(scene.origin.log.repeatedByteCount == 0, "seed \(seed)")
            await scene.source.close()
        }
    }
}
