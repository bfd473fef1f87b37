// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@Suite("A broadcast", .timeLimit(.minutes(2)))
struct BroadcastTests {
    private func collect(_ stream: AsyncStream<Int>) async -> [Int] {
        await stream.reduce(into: []) { $0.append($1) }
    }

    @Test("gives each listener the events from its start on")
    func tellsAll() async {
        let broadcast = Broadcast<Int>()
        let first = broadcast.stream()
        broadcast.tell(1)
        let second = broadcast.stream()
        broadcast.tell(2)
        broadcast.finish()
        broadcast.tell(3)
        #expect(await self.collect(first) == [1, 2])
        #expect(await self.collect(second) == [2])
        #expect(await self.collect(broadcast.stream()).isEmpty)
    }

    @Test("keeps the newest elements for a slow listener, 256 by default")
    func isBounded() async {
        for (broadcast, capacity) in [(Broadcast<Int>(), 256), (Broadcast<Int>(capacity: 1), 1)] {
            let slow = broadcast.stream()
            for number in 0..<10_000 { broadcast.tell(number) }
            broadcast.finish()
            let isNewest = await self.collect(slow) == Array((10_000 - capacity)..<10_000)
            #expect(isNewest)
        }
    }

    @Test("replays its last elements to a later listener, also after its end")
    func replays() async {
        let broadcast = Broadcast<Int>(capacity: 8, replaying: 3)
        for number in 0..<10 { broadcast.tell(number) }
        let late = broadcast.stream(startingWith: -1)
        broadcast.tell(10)
        broadcast.finish()
        broadcast.finish()
        #expect(await self.collect(late) == [-1, 7, 8, 9, 10])
        #expect(await self.collect(broadcast.stream()) == [8, 9, 10])
        #expect(await self.collect(broadcast.stream(startingWith: -1)) == [-1, 8, 9, 10])
    }

    @Test("ends with its owner, and for a listener that leaves")
    func ends() async {
        var broadcast: Broadcast<Int>? = Broadcast()
        let stream = broadcast?.stream()
        let gone = Task { [broadcast] in
            for await _ in broadcast?.stream() ?? AsyncStream(unfolding: { nil }) {}
        }
        gone.cancel()
        await gone.value
        broadcast?.tell(1)
        broadcast = nil
        if let stream { #expect(await self.collect(stream) == [1]) }
    }

    @Test("forgets a listener that has dropped its stream")
    func forgets() {
        let broadcast = Broadcast<Int>()
        #expect(!broadcast.hasListeners)
        var stream: AsyncStream<Int>? = broadcast.stream()
        #expect(broadcast.hasListeners)
        stream = nil
        #expect(stream == nil && !broadcast.hasListeners)
    }

    private enum Told: LossyEvent, Hashable {
        case number(Int)
        case missed(Int)
    }

    @Test("counts the events that a slow listener of events lost, at the place of the loss")
    func missed() async {
        let broadcast = Broadcast<Told>(capacity: 3)
        broadcast.tell(.number(-1))
        let stream = broadcast.events()
        var iterator = stream.makeAsyncIterator()
        broadcast.tell(.number(0))
        #expect(await iterator.next() == .number(0))
        for number in 1...10 { broadcast.tell(.number(number)) }
        for told: Told in [.missed(7), .number(8), .number(9)] {
            #expect(await iterator.next() == told)
        }
        for number in 11...14 { broadcast.tell(.number(number)) }
        broadcast.finish()
        for told: Told in [.missed(2), .number(12), .number(13), .number(14)] {
            #expect(await iterator.next() == told)
        }
        #expect(await iterator.next() == nil)
    }

    @Test("gives a late listener of events its last elements, and the number of those before them")
    func missedBefore() async {
        let broadcast = Broadcast<Told>(capacity: 4, replaying: 2)
        for number in 0..<5 { broadcast.tell(.number(number)) }
        let stream = broadcast.events()
        broadcast.finish()
        let told = await stream.reduce(into: []) { $0.append($1) }
        #expect(told == [.missed(3), .number(3), .number(4)])
    }

    @Test("forgets a listener of events that has dropped its stream")
    func forgetsEvents() {
        let broadcast = Broadcast<Told>()
        var stream: AsyncStream<Told>? = broadcast.events()
        #expect(broadcast.hasListeners)
        stream = nil
        #expect(stream == nil && !broadcast.hasListeners)
    }

    @Test("accounts for every event, whatever runs at the same time", arguments: UInt64(1)...20)
    func missedStorm(seed: UInt64) async {
        var generator = SeededGenerator(seed: seed)
        let broadcast = Broadcast<Told>(capacity: Int.random(in: 1...8, using: &generator))
        let stream = broadcast.events()
        let count = 2_000
        let pauses = (0..<count).map { _ in Int.random(in: 0...3, using: &generator) }
        async let telling: Void = {
            for number in 0..<count {
                for _ in 0..<pauses[number] { await Task.yield() }
                broadcast.tell(.number(number))
            }
            broadcast.finish()
        }()
        var next = 0
        for await told in stream {
            switch told {
            case .number(let number):
                #expect(number == next)
                next = number + 1
            case .missed(let lost):
                #expect(lost > 0)
                next += lost
            }
        }
        await telling
        #expect(next == count)
    }

    /// Each listener in the model has a list of the values that it still has to receive.
    @Test("gives the same as its model, in any order of calls", arguments: UInt64(1)...40)
    func model(seed: UInt64) async {
        var generator = SeededGenerator(seed: seed)
        let capacity = Int.random(in: 1...6, using: &generator)
        let replayCount = Int.random(in: 0...capacity, using: &generator)
        let broadcast = Broadcast<Int>(capacity: capacity, replaying: replayCount)
        var past: [Int] = []
        var listeners: [(stream: AsyncStream<Int>, expected: [Int])] = []
        for number in 0..<200 {
            switch Int.random(in: 0...9, using: &generator) {
            case 0...1:
                listeners.append((broadcast.stream(), past))
            case 2 where !listeners.isEmpty:
                listeners.remove(at: Int.random(in: listeners.indices, using: &generator))
            case 3 where !listeners.isEmpty:
                let index = Int.random(in: listeners.indices, using: &generator)
                guard let expected = listeners[index].expected.first else { break }
                var iterator = listeners[index].stream.makeAsyncIterator()
                #expect(await iterator.next() == expected)
                listeners[index].expected.removeFirst()
            default:
                broadcast.tell(number)
                past = (past + [number]).suffix(replayCount)
                for index in listeners.indices {
                    listeners[index].expected = (listeners[index].expected + [number])
                        .suffix(capacity)
                }
            }
        }
        broadcast.finish()
        for listener in listeners {
            #expect(await self.collect(listener.stream) == listener.expected)
        }
    }

    @Test("loses nothing and keeps the order, whatever runs at the same time")
    func storm() async {
        let broadcast = Broadcast<Int>(capacity: 10_000)
        let count = 2_000
        await withTaskGroup(of: [Int].self) { group in
            for seed in 0..<8 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(seed))
                    for _ in 0..<Int.random(in: 0...200, using: &generator) { await Task.yield() }
                    return await self.collect(broadcast.stream())
                }
            }
            group.addTask {
                for number in 0..<count {
                    broadcast.tell(number)
                    if number % 7 == 0 { await Task.yield() }
                }
                broadcast.finish()
                return []
            }
            for await heard in group where !heard.isEmpty {
                let isComplete = heard == Array((count - heard.count)..<count)
                #expect(isComplete)
            }
        }
        #expect(!broadcast.hasListeners)
    }

    /// A cancelled, waiting task holds its lock until its stream has ended; waking the task needs that lock.
    @Test("wakes listeners that are being cancelled")
    func cancelledWhileWoken() async {
        let broadcast = Broadcast<Int>(capacity: 1)
        // Owned by this test, which cancels it.
        let telling = Task {
            while !Task.isCancelled {
                broadcast.tell(1)
                await Task.yield()
            }
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<2 {
                group.addTask {
                    for _ in 0..<5_000 {
                        let listener = Task { for await _ in broadcast.stream() {} }
                        await Task.yield()
                        listener.cancel()
                        await listener.value
                    }
                }
            }
        }
        telling.cancel()
        await telling.value
        #expect(!broadcast.hasListeners)
    }
}
