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

    private static func ticket(
        _ machine: inout SharedTextMachine,
        after number: UInt64,
        at now: Duration
    ) throws -> SharedTextMachine.Ticket {
        guard case .load(let ticket) = machine.asked(for: "k", after: number, at: now) else {
            throw SharedSource.closedError
        }
        return ticket
    }

    // MARK: The machine

    @Test("is loaded by the first that asks, and the others wait for that load")
    func first() throws {
        var machine = SharedTextMachine()
        let ticket = try Self.ticket(&machine, after: 0, at: .seconds(1))
        #expect(ticket.number == 1)
        #expect(
            machine.asked(for: "k", after: 0, at: .seconds(3)) == .wait(atMost: .seconds(3))
        )
        // Another text does not wait.
        guard case .load = machine.asked(for: "other", after: 0, at: .seconds(3)) else {
            Issue.record("another text has its own load")
            return
        }
        var text = Self.text("a")
        text.age = .seconds(2)
        machine.ended(ticket, with: text, at: .seconds(4))
        text.age = .seconds(3)
        #expect(machine.asked(for: "k", after: 0, at: .seconds(5)) == .text(text, number: 1))
    }

    @Test("is loaded again for one that knows it, and for all when it is too old")
    func older() throws {
        var machine = SharedTextMachine()
        machine.ended(
            try Self.ticket(&machine, after: 7, at: .zero),
            with: Self.text("a"),
            at: .zero
        )
        // The number continues after that of an earlier owner.
        let second = try Self.ticket(&machine, after: 8, at: .seconds(1))
        #expect(second.number == 9)
        machine.ended(second, with: Self.text("b"), at: .seconds(1))
        #expect(machine.count == 1)
        #expect(try Self.ticket(&machine, after: 0, at: .seconds(5)).number == 1)
    }

    @Test("is loaded by the next that asks if a load fails, or takes too long")
    func failures() throws {
        var machine = SharedTextMachine()
        let failed = try Self.ticket(&machine, after: 0, at: .zero)
        machine.ended(failed, with: nil, at: .seconds(1))
        let slow = try Self.ticket(&machine, after: 0, at: .seconds(1))
        let next = try Self.ticket(&machine, after: 0, at: .seconds(6))
        // The slow load ends after all, and changes nothing.
        machine.ended(slow, with: Self.text("slow"), at: .seconds(7))
        #expect(
            machine.asked(for: "k", after: 0, at: .seconds(7)) == .wait(atMost: .seconds(4))
        )
        machine.ended(next, with: Self.text("next"), at: .seconds(8))
        guard case .text(let text, _) = machine.asked(for: "k", after: 0, at: .seconds(8)) else {
            Issue.record("the second load brought a text")
            return
        }
        #expect(text.bytes == Array("next".utf8))
    }

    @Test("stays in memory while it is current, with a limit for long texts and for many")
    func bounds() throws {
        var machine = SharedTextMachine()
        let long = Self.text(String(repeating: "x", count: SharedText.longest + 1))
        machine.ended(try Self.ticket(&machine, after: 0, at: .zero), with: long, at: .zero)
        _ = try Self.ticket(&machine, after: 0, at: .zero)
        for number in 0..<1000 {
            let asked = machine.asked(for: "\(number)", after: 0, at: .milliseconds(number))
            guard case .load(let ticket) = asked else { continue }
            let text = Self.text("a", lasts: .seconds(3600))
            machine.ended(ticket, with: text, at: .milliseconds(number))
        }
        #expect(machine.count == SharedTextMachine.capacity)
        _ = machine.asked(for: "k", after: 0, at: .seconds(7200))
        #expect(machine.count == 1)
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

    @Test("is loaded by each process while the owner does not answer")
    func silentOwner() async throws {
        let scene = try await SharingScene(ScriptedResource(length: 10))
        _ = try await scene.user.sharedText(SharingScene.key, after: 0) { Self.text("a") }
        scene.owner.owner?.stopAnswering()
        let (text, _) = try await scene.user.sharedText(SharingScene.key, after: 1) {
            Self.text("own")
        }
        #expect(text.bytes == Array("own".utf8))
        await scene.close()
    }
}
