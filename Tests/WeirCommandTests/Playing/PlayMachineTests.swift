// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirLive
import WeirPlayback
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("A session of weir play")
struct PlayMachineTests {
    /// Items 0 and 3 are media, 1 and 2 stations.
    static func machine(recordsAll: Bool = false) -> PlayMachine {
        PlayMachine(isStation: [false, true, true, false], recordsAll: recordsAll)
    }

    static func snapshot(
        item: Int? = nil,
        _ change: (inout PlayerSnapshot) -> Void = { _ in }
    ) -> PlayerSnapshot {
        var snapshot = PlayerSnapshot()
        snapshot.itemIndex = item
        change(&snapshot)
        return snapshot
    }

    static func started(_ index: Int) -> PlayerEvent {
        .itemStarted(index: index, name: "\(index)")
    }

    @Test(
        "a key does what the help says",
        arguments: [
            (.left, [.seek(by: .seconds(-10))]), (.right, [.seek(by: .seconds(10))]),
            (.character("n"), [.next]), (.character("p"), [.previous]),
            (.character("?"), [.toggleHelp]),
            (.character("h"), [.toggleHelp]), (.character("q"), [.stop]),
            (.character(" "), [.pause]), (.character("m"), [.setMuted(true)]),
            (.up, [.setVolume(0.55), .setMuted(false)]),
            (.character("0"), [.setVolume(0.55), .setMuted(false)]),
            (.down, [.setVolume(0.45), .setMuted(false)]),
            (.character("9"), [.setVolume(0.45), .setMuted(false)]),
        ] as [(TerminalKey, [PlayMachine.Effect])]
    )
    func keys(_ key: TerminalKey, _ effects: [PlayMachine.Effect]) {
        var machine = Self.machine()
        #expect(machine.pressed(key, Self.snapshot(item: 0) { $0.volume = 0.5 }) == effects)
    }

    /// A station that plays `behind` seconds behind its live end, with `kept` seconds to rewind.
    private static func station(behind: Double, kept: Double) -> PlayerSnapshot {
        Self.snapshot(item: 1) {
            $0.isLive = true
            $0.behindLive = .seconds(behind)
            $0.rewindable = .seconds(kept)
        }
    }

    @Test("a key without an effect says why, and changes nothing")
    func idleKeys() {
        let last = Self.snapshot(item: 1) { $0.itemNames = ["a", "b"] }
        let only = Self.snapshot(item: 0) { $0.itemNames = ["a"] }
        let loud = Self.snapshot(item: 0) { $0.volume = 1 }
        let silent = Self.snapshot(item: 0) { $0.volume = 0 }
        let joining = Self.snapshot(item: 1) { $0.isLive = true }
        let cases: [(TerminalKey, PlayerSnapshot, String)] = [
            (.character("x"), only, "The key x does nothing; ? shows the keys."),
            (.other, only, "That key does nothing; ? shows the keys."),
            (.pageUp, only, "That key does nothing; ? shows the keys."),
            (.character("n"), last, "This is the last of 2 items; p plays the previous one."),
            (.character("n"), only, "There is no next item."),
            (.character("l"), only, "Only a radio station has a live end, and this is a file."),
            (
                .character("l"), joining,
                "The station does not play yet; it starts at its live end."
            ),
            (.up, loud, "The volume is 100 % already."),
            (.down, silent, "The volume is 0 % already."),
            (
                .left, Self.station(behind: 3, kept: 3.5),
                "Weir keeps no earlier sound of this station, only the sound since you started it."
            ),
            (
                .right, Self.station(behind: 0.5, kept: 60),
                "This is live: the station has sent nothing newer."
            ),
        ]
        for (key, snapshot, reason) in cases {
            var machine = Self.machine()
            #expect(machine.pressed(key, snapshot) == [.note(reason)], "\(key)")
            #expect(machine.recordedItem == nil && !machine.isOver)
        }
        var machine = Self.machine()
        let behind = Self.station(behind: 20, kept: 60)
        #expect(machine.pressed(.character("l"), behind) == [.goLive])
        #expect(machine.pressed(.left, behind) == [.seek(by: .seconds(-10))])
        #expect(machine.pressed(.right, behind) == [.seek(by: .seconds(10))])
    }

    @Test("every key at every time has an effect or a note", arguments: 0..<200)
    func noKeyIsSilent(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let keys: [TerminalKey] =
            [.up, .down, .left, .right, .pageUp, .pageDown, .home, .end, .other]
            + (0x20...0x7E).map { .character(Character(Unicode.Scalar(UInt8($0)))) }
        var machine = Self.machine(recordsAll: Bool.random(using: &generator))
        for key in keys.shuffled(using: &generator) {
            let snapshot = Self.snapshot(
                item: [nil, 0, 1, 2, 3].randomElement(using: &generator) ?? nil
            ) {
                $0.state = PlayerState.allCases.randomElement(using: &generator) ?? .playing
                $0.itemNames = Array(repeating: "a", count: .random(in: 0...4, using: &generator))
                $0.isLive = Bool.random(using: &generator)
                $0.volume = [0, 0.5, 1].randomElement(using: &generator) ?? 1
                $0.isMuted = Bool.random(using: &generator)
                if Bool.random(using: &generator) {
                    $0.behindLive = .seconds(Int.random(in: 0...20, using: &generator))
                    $0.rewindable = .seconds(Int.random(in: 0...20, using: &generator))
                }
            }
            let effects = machine.pressed(key, snapshot)
            #expect(!effects.isEmpty, "\(key), seed \(seed)")
            for case .note(let reason) in effects {
                #expect(reason.hasSuffix(".") && reason.count <= 90, "\(key), seed \(seed)")
                #expect(effects.count == 1)
            }
        }
    }

    @Test(
        "the failure of a requested recording is the session's end, and of a key's recording it is not"
    )
    func failedRecordings() {
        for recordsAll in [true, false] {
            var machine = Self.machine(recordsAll: recordsAll)
            machine.recordingBroke("the disk is full")
            let snapshot = Self.snapshot(item: 1) { $0.stopReason = .user }
            if case .unrecorded(let sentence) = machine.ending(snapshot) {
                #expect(recordsAll && sentence == "the disk is full")
            } else {
                #expect(!recordsAll)
            }
        }
    }

    @Test(
        "a station that was silent for the whole length ends the session with the reason",
        arguments: [true, false]
    )
    func silentLength(hasPlayed: Bool) {
        var machine = Self.machine()
        if hasPlayed { _ = machine.told(.stateChanged(.playing, .none, nil)) }
        let effects = machine.lengthPassed(
            of: "x",
            after: StationError(.unreachable, "away"),
            hasAnswered: true
        )
        #expect(effects == (hasPlayed ? [] : [.stop]))
        let snapshot = Self.snapshot(item: 1) { $0.stopReason = .user }
        switch machine.ending(snapshot) {
        case .incomplete(let failure, _): #expect(!hasPlayed && failure.message == "away")
        default: #expect(hasPlayed)
        }
    }

    @Test("the end names a station that sent no sound, and one that did not answer")
    func soundless() {
        for (hasAnswered, words) in [
            (true, "x has answered, but sent no sound so far"),
            (false, "x has not answered so far"),
        ] {
            var machine = Self.machine()
            _ = machine.lengthPassed(of: "x", after: nil, hasAnswered: hasAnswered)
            let snapshot = Self.snapshot(item: 1) { $0.stopReason = .user }
            guard case .incomplete(let failure, _) = machine.ending(snapshot) else {
                Issue.record("it ended otherwise")
                continue
            }
            #expect(failure.message.hasPrefix(words))
        }
    }

    @Test("the end after a station's silence does not say that Weir connects again")
    func lengthEnds() {
        var machine = Self.machine()
        let loss = StationError(.silent, "x sent no sound for 30 s; Weir connects again.")
        _ = machine.lengthPassed(of: "x", after: loss, hasAnswered: true)
        let snapshot = Self.snapshot(item: 1) { $0.stopReason = .user }
        guard case .incomplete(let failure, _) = machine.ending(snapshot) else {
            Issue.record("it ended otherwise")
            return
        }
        #expect(failure.ownerMessage == "x sent no sound for 30 s; try again later.")
    }

    @Test("the volume stays within its range")
    func ends() {
        var machine = Self.machine()
        for (key, volume, end) in [(TerminalKey.up, 0.98, 1.0), (.down, 0.02, 0.0)] {
            let effects = machine.pressed(key, Self.snapshot(item: 0) { $0.volume = volume })
            #expect(effects == [.setVolume(end), .setMuted(false)])
        }
    }

    @Test("a recording that the user ended stays ended while its item plays")
    func unwanted() {
        var machine = Self.machine(recordsAll: true)
        #expect(machine.told(.itemStarted(index: 1, name: "b")) == [.beginRecording(item: 1)])
        #expect(machine.pressed(.character("r"), Self.snapshot(item: 1)) == [.endRecording])
        // The key l and a seek start the item again.
        for _ in 0..<2 { #expect(machine.told(.itemStarted(index: 1, name: "b")) == []) }
        let again = machine.pressed(.character("r"), Self.snapshot(item: 1))
        #expect(again == [.beginRecording(item: 1)])
        #expect(machine.told(.itemStarted(index: 1, name: "b")) == [])
        #expect(machine.pressed(.character("r"), Self.snapshot(item: 1)) == [.endRecording])
        #expect(machine.told(.itemStarted(index: 2, name: "c")) == [.beginRecording(item: 2)])
        #expect(
            machine.told(.itemStarted(index: 1, name: "b"))
                == [.endRecording, .beginRecording(item: 1)]
        )
    }

    @Test("the same keys pause and resume, and mute and unmute")
    func toggles() {
        var machine = Self.machine()
        let snapshot = Self.snapshot(item: 0) {
            $0.state = .paused
            $0.isMuted = true
        }
        #expect(machine.pressed(.character(" "), snapshot) == [.resume])
        #expect(machine.pressed(.character("m"), snapshot) == [.setMuted(false)])
    }

    @Test("the key for recordings starts and ends one of a station, and explains itself elsewhere")
    func recordsOnKey() {
        var machine = Self.machine()
        #expect(
            machine.pressed(.character("r"), Self.snapshot(item: 1)) == [.beginRecording(item: 1)]
        )
        #expect(machine.pressed(.character("r"), Self.snapshot(item: 1)) == [.endRecording])
        for item in [0, 3, 7, nil] {
            let effects = machine.pressed(.character("r"), Self.snapshot(item: item))
            #expect(
                effects == [.note("Only radio stations are recorded; weir get downloads a file.")]
            )
        }
    }

    @Test("a recording ends with its item, and not when the item starts again")
    func recordingEnds() {
        var machine = Self.machine()
        _ = machine.pressed(.character("r"), Self.snapshot(item: 1))
        #expect(machine.told(Self.started(1)).isEmpty)
        #expect(machine.told(Self.started(2)) == [.endRecording])
        #expect(machine.told(Self.started(1)).isEmpty)
    }

    @Test("where all stations are recorded, each recording ends when the next item starts")
    func recordsAll() {
        var machine = Self.machine(recordsAll: true)
        #expect(machine.told(Self.started(0)).isEmpty)
        #expect(machine.told(Self.started(1)) == [.beginRecording(item: 1)])
        #expect(machine.told(Self.started(2)) == [.endRecording, .beginRecording(item: 2)])
        #expect(machine.told(Self.started(3)) == [.endRecording])
    }

    @Test("a recording that could not begin is reported, and can be tried again")
    func recordingFails() {
        var machine = Self.machine()
        _ = machine.pressed(.character("r"), Self.snapshot(item: 1))
        #expect(machine.recordingFailed(ofItem: 1, "No folder.") == [.note("No folder.")])
        #expect(machine.recordedItem == nil)
        #expect(
            machine.pressed(.character("r"), Self.snapshot(item: 1)) == [.beginRecording(item: 1)]
        )
    }

    @Test("a recording that could not begin does not end a later one")
    func recordingFailsLate() {
        var machine = Self.machine(recordsAll: true)
        _ = machine.told(Self.started(1))
        _ = machine.told(Self.started(2))
        #expect(machine.recordingFailed(ofItem: 1, "No folder.") == [.note("No folder.")])
        #expect(machine.recordedItem == 2)
        #expect(machine.told(Self.started(3)) == [.endRecording])
    }

    @Test("the first signal stops the player, the second does not wait for it")
    func signals() {
        var machine = Self.machine()
        #expect(machine.asked(toEndBy: 15) == [.stop])
        #expect(machine.asked(toEndBy: 2) == [.exit])
        guard case .signal(15) = machine.ending(Self.snapshot()) else {
            Issue.record("the first signal says how the session ended")
            return
        }
    }

    @Test("the wanted length ends the session")
    func length() {
        var machine = Self.machine()
        #expect(machine.stopReason == nil)
        #expect(machine.reachedLength() == [.stop])
        #expect(machine.stopReason == "length")
        _ = machine.asked(toEndBy: 15)
        #expect(machine.stopReason == "signal")
    }

    @Test("a repeated queue starts again after its end, unless no item could be heard")
    func repeats() {
        var machine = PlayMachine(isStation: [false], recordsAll: false, repeats: true)
        let end = PlayerEvent.stateChanged(.stopped, .endOfStream, nil)
        for _ in 0..<3 {
            _ = machine.told(.stateChanged(.playing, .none, nil))
            #expect(machine.told(end) == [.playAgain])
            #expect(!machine.isOver)
        }
        #expect(machine.told(end).isEmpty)
        #expect(machine.isOver)
        var quit = PlayMachine(isStation: [false], recordsAll: false, repeats: true)
        _ = quit.told(.stateChanged(.playing, .none, nil))
        #expect(quit.told(.stateChanged(.stopped, .user, nil)).isEmpty)
        #expect(quit.isOver)
    }

    @Test("trouble of a time shift with the disk is reported once for each item")
    func trouble() {
        var machine = Self.machine()
        #expect(machine.found(trouble: nil, ofItem: 1).isEmpty)
        #expect(machine.found(trouble: "Full.", ofItem: nil).isEmpty)
        #expect(machine.found(trouble: "Full.", ofItem: 1) == [.note("Full.")])
        #expect(machine.found(trouble: "Full.", ofItem: 1).isEmpty)
        #expect(machine.found(trouble: "Full.", ofItem: 2) == [.note("Full.")])
    }

    @Test("the session is over when the player has stopped, and not during a change of device")
    func over() {
        var machine = Self.machine()
        for event in [
            PlayerEvent.stateChanged(.stopped, .temporary, nil),
            .stateChanged(.playing, .none, nil), .stateChanged(.paused, .none, nil),
        ] {
            #expect(machine.told(event).isEmpty && !machine.isOver)
        }
        #expect(machine.told(.stateChanged(.stopped, .user, nil)).isEmpty)
        #expect(machine.isOver)
    }

    @Test("a failed item makes the end incomplete, unless the user has quit")
    func incomplete() {
        var machine = Self.machine()
        let first = PlayerFailure(.notAudio, "First.")
        #expect(machine.told(.itemFailed(index: 0, first)).isEmpty)
        _ = machine.told(.itemFailed(index: 3, PlayerFailure(.sink, "Second.")))
        let end = Self.snapshot { $0.stopReason = .endOfStream }
        guard case .incomplete(let failure, _) = machine.ending(end) else {
            Issue.record("the end is incomplete")
            return
        }
        #expect(failure.message == "First.")
        let quit = Self.snapshot { $0.stopReason = .user }
        guard case .quit = machine.ending(quit) else {
            Issue.record("the user has heard enough")
            return
        }
        _ = machine.told(
            .itemFailed(
                index: 4,
                PlayerFailure(.source, "Third.", cause: SourceError(.cacheFailed, ""))
            )
        )
        guard case .incomplete(let worst, _) = machine.ending(end) else {
            Issue.record("the end is incomplete")
            return
        }
        #expect(worst.message == "First.")
        var other = Self.machine()
        _ = other.told(.itemFailed(index: 0, PlayerFailure(.sink, "Less.")))
        _ = other.told(.itemFailed(index: 1, PlayerFailure(.notAudio, "Worse.")))
        guard case .incomplete(let worse, _) = other.ending(end) else {
            Issue.record("the end is incomplete")
            return
        }
        #expect(worse.message == "Worse.")
        _ = machine.reachedLength()
        guard case .incomplete(let known, item: 0) = machine.ending(quit) else {
            Issue.record("the length was reached, and an item had failed")
            return
        }
        #expect(known.message == "First.")
        guard case .unheard = Self.machine().ending(end) else {
            Issue.record("nothing was heard, and nothing has failed")
            return
        }
        var heard = Self.machine()
        _ = heard.told(.stateChanged(.playing, .none, nil))
        guard case .over = heard.ending(end) else {
            Issue.record("nothing has failed")
            return
        }
    }

    /// For every order of events, a recording begins only when none is running, and ends only once.
    @Test(
        "a recording of a station begins only while no other runs, and ends once",
        arguments: 0..<50
    )
    func recordingsAreOne(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var machine = Self.machine(recordsAll: Bool.random(using: &generator))
        var recorded: Int?
        for _ in 0..<200 {
            let item = Int.random(in: 0...4, using: &generator)
            var effects =
                switch Int.random(in: 0...2, using: &generator) {
                case 0: machine.told(Self.started(item))
                case 1: machine.pressed(.character("r"), Self.snapshot(item: item))
                default: machine.pressed(.character("n"), Self.snapshot(item: item))
                }
            if effects.contains(.beginRecording(item: item)),
                Int.random(in: 0...4, using: &generator) == 0
            {
                effects += machine.recordingFailed(ofItem: item, "x")
            }
            for effect in effects {
                switch effect {
                case .beginRecording(let item):
                    #expect(recorded == nil && (item == 1 || item == 2))
                    recorded = item
                case .endRecording:
                    #expect(recorded != nil)
                    recorded = nil
                case .note("x"): recorded = nil
                default: break
                }
            }
            #expect(machine.recordedItem == recorded)
        }
    }
}
