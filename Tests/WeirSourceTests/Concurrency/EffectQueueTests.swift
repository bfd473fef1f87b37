// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("A queue of effects", .timeLimit(.minutes(2)))
struct EffectQueueTests {
    @Test("performs the effects of one event in order, and returns the result of the event")
    func order() {
        let queue = EffectQueue<Int, Int>(5)
        let done = Watched<[Int]>([])
        let perform = { @Sendable (effect: Int) in done.update { $0.append(effect) } }
        let result = queue.decide(performing: perform) { state, effects in
            state += 1
            effects += [1, 2, 3]
            return state
        }
        #expect(result == 6)
        #expect(done.value == [1, 2, 3])
        #expect(queue.withState { $0 } == 6)
    }

    @Test("puts the effects of an event that an effect causes behind the waiting ones")
    func nested() {
        let queue = EffectQueue<Int, Int>(0)
        let done = Watched<[Int]>([])
        @Sendable func perform(_ effect: Int) {
            done.update { $0.append(effect) }
            guard effect == 1 else { return }
            queue.decide(performing: perform) { _, effects in effects += [10, 11] }
            // The inner call has only added to the queue.
            #expect(done.value == [1])
        }
        queue.decide(performing: perform) { _, effects in effects += [1, 2] }
        #expect(done.value == [1, 2, 10, 11])
    }

    @Test(
        "performs every effect once, in the order of the decisions, one at a time",
        arguments: UInt64(1)...8
    )
    func storm(seed: UInt64) async {
        let queue = EffectQueue<Int, Int>(0)
        let done = Watched<[Int]>([])
        let isPerforming = Watched(false)
        let events = 300
        let perform = { @Sendable (effect: Int) in
            let isAlone = isPerforming.update { isPerforming in
                defer { isPerforming = true }
                return !isPerforming
            }
            #expect(isAlone)
            done.update { $0.append(effect) }
            isPerforming.update { $0 = false }
        }
        await withTaskGroup(of: Int.self) { group in
            for lane in 0..<6 {
                group.addTask {
                    var generator = SeededGenerator(seed: seed &* 31 &+ UInt64(lane))
                    var sum = 0
                    for _ in 0..<events {
                        let count = Int.random(in: 0...3, using: &generator)
                        sum += count
                        queue.decide(performing: perform) { state, effects in
                            effects += state..<(state + count)
                            state += count
                        }
                        if Bool.random(using: &generator) { await Task.yield() }
                    }
                    return sum
                }
            }
            let total = await group.reduce(0, +)
            #expect(queue.withState { $0 } == total)
            // Each performing call has returned: no effect waits any more.
            let isInOrder = done.value == Array(0..<total)
            #expect(isInOrder)
        }
    }
}
