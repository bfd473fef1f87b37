// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirLive
import WeirPlayback
import WeirSource
import WeirTestKit

@testable import WeirCommand

@Suite("A session of weir play with events in any order")
struct PlayMachineOrderTests {
    /// One event of every kind that the machine tells apart.
    private enum Event: CaseIterable {
        case media, station, otherStation, failed, paused, stopped
        case recordKey, recordKeyOfMedia, quitKey, nextKey
        case signal, length, trouble, recordingFailed

        func send(to machine: inout PlayMachine) -> [PlayMachine.Effect] {
            switch self {
            case .media: machine.told(PlayMachineTests.started(0))
            case .station: machine.told(PlayMachineTests.started(1))
            case .otherStation: machine.told(PlayMachineTests.started(2))
            case .failed: machine.told(.itemFailed(index: 0, PlayerFailure(.notAudio, "x")))
            case .paused: machine.told(.stateChanged(.paused, .none, nil))
            case .stopped: machine.told(.stateChanged(.stopped, .endOfStream, nil))
            case .recordKey: machine.pressed(.character("r"), PlayMachineTests.snapshot(item: 1))
            case .recordKeyOfMedia:
                machine.pressed(.character("r"), PlayMachineTests.snapshot(item: 0))
            case .quitKey: machine.pressed(.character("q"), PlayMachineTests.snapshot(item: 1))
            case .nextKey: machine.pressed(.character("n"), PlayMachineTests.snapshot(item: 1))
            case .signal: machine.asked(toEndBy: 15)
            case .length: machine.reachedLength()
            case .trouble: machine.found(trouble: "Full.", ofItem: 1)
            case .recordingFailed: machine.recordingFailed(ofItem: 1, "x")
            }
        }
    }

    @Test("any three events in any order keep the session's promises")
    func everyOrder() {
        for recordsAll in [false, true] {
            for first in Event.allCases {
                for second in Event.allCases {
                    for third in Event.allCases {
                        Self.expectPromises([first, second, third], recordsAll: recordsAll)
                    }
                }
            }
        }
    }

    private static func expectPromises(_ events: [Event], recordsAll: Bool) {
        var machine = PlayMachineTests.machine(recordsAll: recordsAll)
        var effects: [PlayMachine.Effect] = []
        for event in events {
            let before = machine.recordedItem
            let sent = event.send(to: &machine)
            // A recording begins only when none is running, and ends only when one is.
            if sent.contains(.endRecording) { #expect(before != nil, "\(events)") }
            if let item = machine.recordedItem, item != before {
                #expect(sent.last == .beginRecording(item: item), "\(events)")
                #expect(before == nil || sent.first == .endRecording, "\(events)")
            }
            effects += sent
        }
        // The program exits at once on the second signal, and on no other event.
        let signals = events.count { $0 == .signal }
        #expect(effects.count { $0 == .exit } == max(0, signals - 1), "\(events)")
        let stops = events.count { $0 == .quitKey || $0 == .length } + min(1, signals)
        #expect(effects.count { $0 == .stop } == stops, "\(events)")
        #expect(effects.count { $0 == .note("Full.") } <= 1, "\(events)")
        #expect(machine.isOver == events.contains(.stopped), "\(events)")
        switch machine.ending(PlayMachineTests.snapshot { $0.stopReason = .endOfStream }) {
        case .signal(let number): #expect(signals > 0 && number == 15, "\(events)")
        case .incomplete: #expect(signals == 0 && events.contains(.failed), "\(events)")
        case .over, .unheard: #expect(signals == 0 && !events.contains(.failed), "\(events)")
        case .quit: Issue.record("an unexpected quit at the end: \(events)")
        case .unrecorded(let sentence): #expect(signals == 0 && sentence == "x", "\(events)")
        }
    }
}
