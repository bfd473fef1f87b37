// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirPlayback

@Suite("The player's machine")
struct PlayerMachineTests {
    @Test("every event in every situation has the outcome that is written down")
    func transcript() {
        let found = MachineBench.transcript()
        let written = MachineTranscript.text.split(separator: "\n").map(String.init)
        #expect(found.count == MachineBench.situations.count * (MachineBench.events.count + 1))
        #expect(found.count == written.count)
        for (found, written) in zip(found, written) { #expect(found == written) }
        if found != written { print(found.joined(separator: "\n")) }
    }

    @Test("the situations cover all nine states and all five reasons")
    func coverage() {
        let machines = MachineBench.situations.map(\.machine)
        #expect(Set(machines.map(\.state)) == Set(PlayerState.allCases))
        #expect(Set(machines.map(\.stopReason)) == Set(StopReason.allCases))
    }

    @Test("what an older beginning has to say changes nothing")
    func oldNews() {
        for situation in MachineBench.situations where situation.machine.generation > 0 {
            var machine = situation.machine
            let before = (machine.state, machine.stopReason, machine.failure)
            let old = machine.generation - 1
            var effects = machine.opened(old)
            effects += machine.queued(seconds: 9, isFull: true, old)
            effects += machine.sourceEnded(hasSound: true, old)
            effects += machine.ranDry(at: .zero, old)
            effects += machine.lineChanged(isLost: true, old)
            effects += machine.finished(old)
            effects += machine.failed(MachineBench.failure, old)
            effects += machine.released(old)
            #expect(effects.isEmpty, "\(situation.name)")
            #expect(before == (machine.state, machine.stopReason, machine.failure))
        }
    }

    @Test("a user's pause is undone by nobody but the user", arguments: 0..<200)
    func pauseStays(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var machine = MachineBench.situations[6].machine
        _ = machine.pause()
        for _ in 0..<50 {
            // All but start, resume and stop, and what ends the sound.
            let news = MachineBench.events.filter {
                !["start", "resume", "stop", "finished", "failed", "released"].contains($0.name)
            }
            _ = news[Int.random(in: news.indices, using: &generator)].tell(&machine)
            #expect(machine.state == .paused)
            #expect(!machine.isSounding)
        }
        _ = machine.resume()
        #expect(machine.state != .paused)
    }

    @Test("gate and sink follow the state whatever happens", arguments: 0..<500)
    func effectsFollow(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var machine = PlayerMachine()
        var isOpen = false
        var isHeld = false
        var generations: [UInt64] = []
        for _ in 0..<200 {
            let event = MachineBench.events.randomElement(using: &generator)!
            let (answer, effects) = event.tell(&machine)
            if case .refused? = answer { #expect(effects.isEmpty) }
            if answer == .alreadySo { #expect(effects.isEmpty) }
            for effect in effects {
                switch effect {
                case .openGate: isOpen = true
                case .closeGate: isOpen = false
                case .pauseSink: isHeld = true
                case .resumeSink: isHeld = false
                case .begin(let generation): generations.append(generation)
                case .release, .publish: break
                }
            }
            #expect(isOpen == machine.isSounding, "\(event.name)")
            #expect(isHeld == (machine.state == .paused), "\(event.name)")
            #expect((machine.failure != nil) == (machine.stopReason == .error), "\(event.name)")
        }
        #expect(generations == generations.sorted())
        #expect(Set(generations).count == generations.count)
    }

    @Test("any stop can be started again, and the error is gone")
    func startsAgain() {
        for situation in MachineBench.situations {
            var machine = situation.machine
            let (answer, effects) = machine.start()
            #expect(answer == .done)
            #expect(machine.state == .starting)
            #expect(machine.stopReason == .none)
            #expect(machine.failure == nil)
            #expect(effects.contains(.begin(generation: machine.generation)))
        }
    }
}
