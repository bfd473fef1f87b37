// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("A signal", .timeLimit(.minutes(2)))
struct SignalTests {
    @Test("that was raised meanwhile makes no task wait")
    func remembers() async throws {
        let signal = Signal()
        let seen = signal.count
        signal.raise()
        signal.raise()
        #expect(try await signal.wait(after: seen) == 2)
        #expect(signal.count == 2)
    }

    @Test("wakes every waiting task")
    func wakesAll() async throws {
        let signal = Signal()
        let woken = Watched(0)
        try await withThrowingTaskGroup(of: UInt64.self) { group in
            for _ in 0..<10 {
                group.addTask {
                    woken.update { $0 += 1 }
                    return try await signal.wait(after: 0)
                }
            }
            try await woken.wait { $0 == 10 }
            signal.raise()
            for try await count in group { #expect(count == 1) }
        }
    }

    @Test("releases a cancelled task at once, before its wait and during it")
    func cancels() async {
        let signal = Signal()
        let waiting = Task { try await signal.wait(after: 0) }
        await Task.yield()
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
        let late = Task {
            while !Task.isCancelled { await Task.yield() }
            signal.raise()
            try await signal.wait(after: 0)
        }
        late.cancel()
        await #expect(throws: CancellationError.self) { try await late.value }
        #expect(signal.count == 1)
    }

    /// After a lost wake-up a consumer would wait forever.
    @Test("loses no wake-up, whatever runs at the same time", arguments: UInt64(1)...8)
    func storm(seed: UInt64) async {
        let signal = Signal()
        let value = Watched(0)
        let end = 400
        await withTaskGroup(of: Void.self) { group in
            for lane in 0..<4 {
                group.addTask {
                    var generator = SeededGenerator(seed: seed &* 31 &+ UInt64(lane))
                    while true {
                        let seen = signal.count
                        if value.value == end { return }
                        if Bool.random(using: &generator) {
                            // Another waiter comes and is cancelled at any point of its wait.
                            let other = Task { try? await signal.wait(after: seen) }
                            if Bool.random(using: &generator) { await Task.yield() }
                            other.cancel()
                            await _ = other.value
                        }
                        guard (try? await signal.wait(after: seen)) != nil else { return }
                    }
                }
            }
            group.addTask {
                var generator = SeededGenerator(seed: seed)
                for _ in 0..<end {
                    value.update { $0 += 1 }
                    signal.raise()
                    for _ in 0..<Int.random(in: 0...3, using: &generator) { await Task.yield() }
                }
            }
        }
        #expect(signal.count == UInt64(end))
    }
}
