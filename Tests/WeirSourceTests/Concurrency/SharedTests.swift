// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirSource

@Suite("Shared work")
struct SharedTests {
    private struct Failure: Error {}

    @Test("is done once for all waiting tasks")
    func isDoneOnce() async throws {
        let shared = Shared<Int>()
        let (gate, runs) = (Gate(), Watched(0))
        let waiters = (0..<100).map { _ in
            Task {
                try await shared.value(isGood: { _ in true }) {
                    runs.update { $0 += 1 }
                    try await gate.wait()
                    return 7
                }
            }
        }
        try await runs.wait { $0 == 1 }
        gate.open()
        for waiter in waiters { #expect(try await waiter.value == 7) }
        #expect(runs.value == 1)
    }

    @Test("goes on for the others when a task leaves, and that task leaves at once")
    func letsLeave() async throws {
        let shared = Shared<Int>()
        let (gate, runs) = (Gate(), Watched(0))
        let work: @Sendable () async throws -> Int = {
            runs.update { $0 += 1 }
            try await gate.wait()
            return 7
        }
        let first = Task { try await shared.value(isGood: { _ in true }, make: work) }
        try await runs.wait { $0 == 1 }
        let second = Task { try await shared.value(isGood: { _ in true }, make: work) }
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.open()
        #expect(try await second.value == 7)
        #expect(runs.value == 1)
        let late = Task { try await shared.value(isGood: { _ in false }, make: work) }
        late.cancel()
        _ = try? await late.value
    }

    @Test("keeps its last result when a renewal fails, and a failure reaches every task")
    func keepsLast() async throws {
        let shared = Shared<Int>()
        #expect(try await shared.value(isGood: { _ in true }, make: { 1 }) == 1)
        let failed = Gate()
        await shared.renew {
            defer { failed.open() }
            throw Failure()
        }
        try await failed.wait()
        #expect(try await shared.value(isGood: { $0 == 1 }, make: { 2 }) == 1)
        await #expect(throws: Failure.self) {
            while try await shared.value(isGood: { _ in false }, make: { throw Failure() }) == 1 {}
        }
        await shared.forget()
        #expect(try await shared.value(isGood: { $0 == 1 }, make: { 3 }) == 3)
    }
}
