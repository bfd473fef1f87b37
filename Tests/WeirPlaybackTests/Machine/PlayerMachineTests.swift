// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirPlayback

@Suite("The player's machine")
struct PlayerMachineTests {
    @Test("an event changes the state as the table says for the situation, and nothing else")
    func transitions() {
        for situation in MachineSituations.all {
            let name = "\(situation.name) [\(situation.machine.stopReason)]"
            let outcomes = MachineTransitions.table[name]
            #expect(outcomes != nil, "\(name)")
            for event in MachineSituations.events {
                var machine = situation.machine
                let (_, effects) = event.give(&machine)
                let outcome = Self.outcome(situation.machine, machine, effects)
                #expect(outcome == outcomes?[event.name], "\(name), \(event.name)")
            }
        }
    }

    @Test("the table names every situation, and no unknown event")
    func table() {
        let events = Set(MachineSituations.events.map(\.name))
        #expect(events.count == MachineSituations.events.count)
        #expect(MachineTransitions.table.count == MachineSituations.all.count)
        for outcomes in MachineTransitions.table.values {
            #expect(Set(outcomes.keys).isSubset(of: events))
        }
        let count = MachineTransitions.table.values.reduce(0) { $0 + $1.count }
        let lines = MachineTransitions.text.split(separator: "\n").count
        #expect(count == lines - MachineSituations.all.count)
    }

    /// A machine's change, as the table writes it; `nil` if nothing changed.
    private static func outcome(
        _ before: PlayerMachine,
        _ after: PlayerMachine,
        _ effects: [PlayerEffect]
    ) -> String? {
        if before == after, effects.isEmpty { return nil }
        let isSame = before.state == after.state && before.stopReason == after.stopReason
        if isSame, effects.isEmpty, before.failure == after.failure { return "noted" }
        var outcome = isSame ? "-" : "\(after.state) [\(after.stopReason)]"
        if before.failure != after.failure {
            outcome += after.failure == nil ? ", error cleared" : ", error kept"
        }
        for effect in effects {
            switch effect {
            case .begin(let generation): outcome += "; begin \(generation)"
            case .release(let generation): outcome += "; release \(generation)"
            default: outcome += "; \(effect)"
            }
        }
        return outcome
    }

    @Test("a command is done, has no effect or is refused, depending on the state")
    func answers() {
        for situation in MachineSituations.all {
            let (state, reason) = (situation.machine.state, situation.machine.stopReason)
            let isActive = ![.initialized, .stopping, .stopped].contains(state)
            for event in MachineSituations.events {
                var machine = situation.machine
                let (answer, _) = event.give(&machine)
                let expected: String?
                switch event.name {
                case "start": expected = "done"
                case "pause":
                    let isPaused = state == .paused && reason == .none
                    expected = !isActive ? "refused" : isPaused ? "already so" : "done"
                case "resume":
                    expected = !isActive ? "refused" : state == .paused ? "done" : "already so"
                case "seek": expected = isActive ? "done" : "refused"
                case "stop":
                    let isEnding = state == .stopping && reason == .endOfStream
                    expected =
                        state == .initialized
                        ? "refused" : isActive || isEnding ? "done" : "already so"
                default: expected = nil
                }
                let found =
                    switch answer {
                    case .done?: "done"
                    case .alreadySo?: "already so"
                    case .refused?: "refused"
                    case nil: nil as String?
                    }
                #expect(found == expected, "\(situation.name), \(event.name)")
                if found == "refused" || found == "already so" {
                    #expect(machine == situation.machine)
                }
            }
        }
    }

    @Test("the situations cover all nine states and all five reasons")
    func coverage() {
        let machines = MachineSituations.all.map(\.machine)
        #expect(Set(machines.map(\.state)) == Set(PlayerState.allCases))
        #expect(Set(machines.map(\.stopReason)) == Set(StopReason.allCases))
    }

    @Test("an event of an older run changes nothing")
    func oldEvents() {
        for situation in MachineSituations.all where situation.machine.generation > 0 {
            var machine = situation.machine
            let old = machine.generation - 1
            var effects = machine.opened(old)
            effects += machine.queued(seconds: 9, isFull: true, old)
            effects += machine.sourceEnded(hasSound: true, old)
            effects += machine.ranDry(at: .zero, old)
            effects += machine.sinkOpened(old)
            effects += machine.deviceIsAway(MachineSituations.away, old)
            effects += machine.connectionChanged(isLost: true, old)
            effects += machine.finished(old)
            effects += machine.failed(MachineSituations.failure, old)
            effects += machine.released(old)
            #expect(effects.isEmpty, "\(situation.name)")
            #expect(machine == situation.machine)
        }
    }

    @Test("an underrun is counted, and the next start needs more sound, until another start")
    func ranDry() {
        var machine = MachineSituations.machine("playing")
        #expect(machine.bufferTarget == 1)
        _ = machine.ranDry(at: .zero, 1)
        #expect(machine.underruns == 1)
        #expect(machine.bufferTarget == 2)
        _ = machine.start()
        #expect(machine.underruns == 0)
        #expect(machine.bufferTarget == 1)
    }

    @Test("any amount of sound is enough after the end of the source")
    func lastSound() {
        var machine = MachineSituations.machine("waitingForQueueToStart")
        _ = machine.sourceEnded(hasSound: false, 1)
        #expect(machine.queued(seconds: 0.1, isFull: false, 1) == [.openGate, .publish])
        #expect(machine.sinkOpened(1) == [.publish])
        #expect(machine.state == .playing)
    }

    @Test("only the user undoes the user's pause", arguments: 0..<200)
    func pauseStays(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var machine = MachineSituations.machine("playing")
        _ = machine.pause()
        for _ in 0..<50 {
            // All events but start, resume, stop, and those that end the sound.
            let events = MachineSituations.events.filter {
                !["start", "resume", "stop", "finished", "failed", "released"].contains($0.name)
            }
            _ = events[Int.random(in: events.indices, using: &generator)].give(&machine)
            #expect(machine.state == .paused)
            #expect(!machine.isSounding)
        }
        _ = machine.resume()
        #expect(machine.state != .paused)
    }

    @Test("gate and sink follow the state, whatever happens", arguments: 0..<500)
    func effectsFollow(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var machine = PlayerMachine()
        var isOpen = false
        var isHeld = false
        var generations: [UInt64] = []
        for _ in 0..<200 {
            let event = MachineSituations.events.randomElement(using: &generator)!
            let (answer, effects) = event.give(&machine)
            if case .refused? = answer { #expect(effects.isEmpty) }
            if answer == .alreadySo { #expect(effects.isEmpty) }
            for effect in effects {
                switch effect {
                case .openGate: isOpen = true
                case .closeGate: isOpen = false
                case .pauseSink: isHeld = true
                case .resumeSink: isHeld = false
                case .begin(let generation): generations.append(generation)
                case .release, .publish, .setGain, .prefetch, .cancelPrefetch: break
                }
            }
            #expect(isOpen == machine.isSounding, "\(event.name)")
            #expect(isHeld == (machine.state == .paused), "\(event.name)")
            if machine.stopReason == .error { #expect(machine.failure != nil) }
            // A missing device is reported while the player waits for it.
            if machine.failure != nil { #expect(machine.stopReason == .error || machine.isActive) }
        }
        #expect(generations == generations.sorted())
        #expect(Set(generations).count == generations.count)
    }

    @Test("the player can start again after any stop, and the error is gone")
    func startsAgain() {
        for situation in MachineSituations.all {
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
