// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirSharing

@Suite("A text that several processes need", .timeLimit(.minutes(1)))
struct SharedTextTests {
    private static func text(_ content: String, lasts: Duration = .seconds(4)) -> SharedText {
        var text = SharedText(Array(content.utf8), at: "http://a.example/b", entityTag: nil)
        text.lasts = lasts
        return text
    }

    /// Asks for the text of the key `k`, as a process that has not waited yet.
    private static func ask(
        _ machine: inout SharedTextMachine,
        after number: UInt64,
        since start: Duration? = nil,
        at now: Duration
    ) -> SharedTextMachine.Answer {
        machine.asked(for: "k", after: number, since: start ?? now, at: now)
    }

    private static func ticket(
        _ machine: inout SharedTextMachine,
        after number: UInt64,
        since start: Duration? = nil,
        at now: Duration
    ) throws -> SharedTextMachine.Ticket {
        let answer = Self.ask(&machine, after: number, since: start, at: now)
        guard case .load(let ticket) = answer else { throw SharedSource.closedError }
        return ticket
    }

    // MARK: The machine

    @Test("is loaded by the first that asks, and the others wait for that load")
    func first() throws {
        var machine = SharedTextMachine()
        let ticket = try Self.ticket(&machine, after: 0, at: .seconds(1))
        #expect(ticket.number == 1)
        #expect(Self.ask(&machine, after: 0, at: .seconds(2)) == .wait(atMost: .seconds(1)))
        // Another text does not wait.
        let other = machine.asked(for: "other", after: 0, since: .seconds(2), at: .seconds(2))
        guard case .load = other else {
            Issue.record("another text has its own load")
            return
        }
        var text = Self.text("a")
        machine.ended(ticket, with: text, at: .milliseconds(2500))
        // It is as old as the permission to load it, whatever its loader says.
        text.age = .seconds(2)
        #expect(
            Self.ask(&machine, after: 0, since: .seconds(2), at: .seconds(3))
                == .text(text, number: 1)
        )
    }

    @Test("is loaded again for one that knows it, and for all when it is too old")
    func older() throws {
        var machine = SharedTextMachine()
        let first = try Self.ticket(&machine, after: 7, at: .zero)
        machine.ended(first, with: Self.text("a"), at: .zero)
        // The number continues after that of an earlier owner.
        let second = try Self.ticket(&machine, after: 8, at: .seconds(1))
        #expect(second.number == 9)
        machine.ended(second, with: Self.text("b"), at: .seconds(1))
        #expect(machine.count == 1)
        #expect(try Self.ticket(&machine, after: 0, at: .seconds(5)).number == 1)
    }

    @Test("is loaded by the next that asks if a load fails")
    func failed() throws {
        var machine = SharedTextMachine()
        let failed = try Self.ticket(&machine, after: 0, at: .zero)
        #expect(Self.ask(&machine, after: 0, at: .zero) == .wait(atMost: .seconds(2)))
        machine.ended(failed, with: nil, at: .seconds(1))
        _ = try Self.ticket(&machine, after: 0, since: .zero, at: .seconds(1))
        // A third one has waited from the start, and waits no longer than that.
        #expect(
            Self.ask(&machine, after: 0, since: .zero, at: .seconds(1))
                == .wait(atMost: .seconds(1))
        )
        _ = try Self.ticket(&machine, after: 0, since: .zero, at: .seconds(2))
    }

    @Test("is loaded beside a load that takes long, and the first to end counts")
    func slow() throws {
        var machine = SharedTextMachine()
        machine.ended(
            try Self.ticket(&machine, after: 0, at: .zero),
            with: Self.text("a"),
            at: .zero
        )
        let slow = try Self.ticket(&machine, after: 1, at: .seconds(4))
        // A quarter of the time that the text was current.
        #expect(Self.ask(&machine, after: 1, at: .seconds(4)) == .wait(atMost: .seconds(2)))
        let fast = try Self.ticket(&machine, after: 1, since: .seconds(4), at: .seconds(6))
        // The next one waits for the load that began last.
        #expect(Self.ask(&machine, after: 1, at: .seconds(7)) == .wait(atMost: .seconds(1)))
        machine.ended(fast, with: Self.text("fast"), at: .seconds(7))
        machine.ended(slow, with: Self.text("slow"), at: .seconds(8))
        guard case .text(let text, 2) = Self.ask(&machine, after: 1, at: .seconds(8)) else {
            Issue.record("the fast load brought text 2")
            return
        }
        #expect(text.bytes == Array("fast".utf8) && text.age == .seconds(2))
    }

    @Test("of a slow load is shared, too")
    func slowAlone() throws {
        var machine = SharedTextMachine()
        let ticket = try Self.ticket(&machine, after: 0, at: .zero)
        _ = machine.asked(for: "other", after: 0, since: .seconds(7), at: .seconds(7))
        machine.ended(ticket, with: Self.text("a", lasts: .seconds(20)), at: .seconds(8))
        guard case .text = Self.ask(&machine, after: 0, at: .seconds(8)) else {
            Issue.record("the text is current")
            return
        }
    }

    @Test("stays in memory while it is current, with a limit for long texts and for many")
    func bounds() throws {
        var machine = SharedTextMachine()
        let long = Self.text(String(repeating: "x", count: SharedText.longest + 1))
        machine.ended(try Self.ticket(&machine, after: 0, at: .zero), with: long, at: .zero)
        #expect(machine.count == 0)
        _ = try Self.ticket(&machine, after: 0, at: .zero)
        for number in 0..<1000 {
            let now = Duration.milliseconds(number)
            let asked = machine.asked(for: "\(number)", after: 0, since: now, at: now)
            guard case .load(let ticket) = asked else { continue }
            machine.ended(ticket, with: Self.text("a", lasts: .seconds(3600)), at: now)
        }
        #expect(machine.count == SharedTextMachine.capacity)
        // The load that still runs was not evicted.
        #expect(Self.ask(&machine, after: 0, at: .seconds(1)) == .wait(atMost: .seconds(1)))
        let last = machine.asked(for: "last", after: 0, since: .zero, at: .seconds(7200))
        guard case .load(let ticket) = last else { throw SharedSource.closedError }
        #expect(machine.count == 1)
        machine.ended(ticket, with: nil, at: .seconds(7200))
        #expect(machine.count == 0)
    }

    // MARK: Two processes

    @Test("is loaded by one of two processes, whichever asks first", arguments: [false, true])
    func processes(isUserFirst: Bool) async throws {
        let scene = try await SharingScene(ScriptedResource(length: 10))
        let pair = isUserFirst ? [scene.user, scene.owner] : [scene.owner, scene.user]
        var numbers: [UInt64] = [0, 0]
        for round in 1...3 {
            // The owner's clock is real, and no machine needs an hour for this test.
            let expected = Self.text("\(round)", lasts: .seconds(3600))
            for (index, access) in pair.enumerated() {
                let (text, number) = try await access.sharedText(
                    SharingScene.key,
                    after: numbers[index]
                ) {
                    #expect(index == 0, "only the first loads")
                    return expected
                }
                #expect(text.bytes == expected.bytes && text.location == expected.location)
                #expect(text.age >= .zero && number == round)
                numbers[index] = number
            }
        }
        await scene.close()
    }

    @Test("is loaded by both processes if it is long, and errors of a load stay in its process")
    func notShared() async throws {
        let scene = try await SharingScene(ScriptedResource(length: 10))
        let long = Self.text(String(repeating: "x", count: SharedText.longest + 1))
        for access in [scene.user, scene.owner] {
            await #expect(throws: SourceError.self) {
                _ = try await access.sharedText(SharingScene.key, after: 0) {
                    throw SourceError(.notFound, "gone")
                }
            }
            let (text, _) = try await access.sharedText(SharingScene.key, after: 0) { long }
            #expect(text.bytes.count == long.bytes.count)
        }
        await scene.close()
    }

    @Test("is loaded by each process while the owner does not answer", arguments: [false, true])
    func silentOwner(isConnected: Bool) async throws {
        let clock = ManualClock()
        let scene = try await SharingScene(ScriptedResource(length: 10), clock: clock)
        _ = try await scene.user.sharedText(SharingScene.key, after: 0) { Self.text("a") }
        var unsilence: @Sendable () async -> Void = {}
        if isConnected {
            unsilence = try await scene.silenceOwner()
        } else {
            scene.owner.owner?.stopAnswering()
        }
        let time = Task {
            while !Task.isCancelled {
                await clock.waitForSleepers(1)
                clock.advance(by: .seconds(3))
                await Task.yield()
            }
        }
        for _ in 0..<3 {
            let (text, number) = try await scene.user.sharedText(SharingScene.key, after: 1) {
                Self.text("own")
            }
            #expect(text.bytes == Array("own".utf8) && number == 1)
        }
        time.cancel()
        await unsilence()
        await scene.close()
    }

    @Test("is loaded by a process whose load another one keeps waiting for too long")
    func stoppedLoader() async throws {
        let scene = try await SharingScene(ScriptedResource(length: 10))
        let gate = Signal()
        let loadBegan = Signal()
        let stopped = Task {
            try await scene.user.sharedText(SharingScene.key, after: 0) {
                loadBegan.raise()
                try await gate.wait(after: 0)
                return Self.text("late")
            }
        }
        try await loadBegan.wait(after: 0)
        let (text, _) = try await scene.owner.sharedText(SharingScene.key, after: 0) {
            Self.text("own")
        }
        #expect(text.bytes == Array("own".utf8))
        gate.raise()
        #expect(try await stopped.value.text.bytes == Array("late".utf8))
        await scene.close()
    }
}
