// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirLive

@Suite("A station's machine, every state and every event")
struct StationMachinePairsTests {
    /// The effects of each event, 20 s after the state was reached: `state event: effects → state`.
    static let table = """
        idle came: ask station; watchdog 15.0; =connecting 0 → connecting
        idle left: nothing → idle
        idle answered: nothing → idle
        idle bytes: nothing → idle
        idle sound: nothing → idle
        idle playlist: nothing → idle
        idle emptyPlaylist: nothing → idle
        idle ended: nothing → idle
        idle unreachable: nothing → idle
        idle refused: nothing → idle
        idle final: nothing → idle
        idle notAudio: nothing → idle
        idle watchdog: nothing → idle
        idle retry: nothing → idle
        idle grace: nothing → idle
        idle path: nothing → idle
        idle close: end; =ended 0 → closed
        connecting came: nothing → connecting
        connecting left: grace 0.25 → connecting
        connecting answered: watchdog 10.0; =connecting 0 → opening
        connecting bytes: nothing → connecting
        connecting sound: nothing → connecting
        connecting playlist: nothing → connecting
        connecting emptyPlaylist: nothing → connecting
        connecting ended: disconnect; ask station; watchdog 15.0; =connecting 1 ended → connecting
        connecting unreachable: disconnect; ask station; watchdog 15.0; =connecting 1 unreachable → connecting
        connecting refused: disconnect; ask station; watchdog 15.0; =connecting 1 refused → connecting
        connecting final: disconnect; no watchdog; end notAudio; =ended 1 notAudio → ended
        connecting notAudio: disconnect; ask station; watchdog 15.0; =connecting 1 notAudio → connecting
        connecting watchdog: disconnect; ask station; watchdog 15.0; =connecting 1 silent → connecting
        connecting retry: nothing → connecting
        connecting grace: nothing → connecting
        connecting path: disconnect; ask station; watchdog 15.0 → connecting
        connecting close: disconnect; no watchdog; end; =ended 0 → closed
        opening came: nothing → opening
        opening left: grace 0.25 → opening
        opening answered: nothing → opening
        opening bytes: nothing → opening
        opening sound: =live 0 → live
        opening playlist: disconnect; ask a; watchdog 15.0 → connecting
        opening emptyPlaylist: disconnect; ask station; watchdog 15.0; =connecting 1 notAudio → connecting
        opening ended: disconnect; ask station; watchdog 15.0; =connecting 1 ended → connecting
        opening unreachable: disconnect; ask station; watchdog 15.0; =connecting 1 unreachable → connecting
        opening refused: disconnect; ask station; watchdog 15.0; =connecting 1 refused → connecting
        opening final: disconnect; no watchdog; end notAudio; =ended 1 notAudio → ended
        opening notAudio: disconnect; ask station; watchdog 15.0; =connecting 1 notAudio → connecting
        opening watchdog: disconnect; ask station; watchdog 15.0; =connecting 1 silent → connecting
        opening retry: nothing → opening
        opening grace: nothing → opening
        opening path: watchdog 2.0 → opening
        opening close: disconnect; no watchdog; end; =ended 0 → closed
        live came: nothing → live
        live left: grace 0.25 → live
        live answered: nothing → live
        live bytes: nothing → live
        live sound: nothing → live
        live playlist: nothing → live
        live emptyPlaylist: nothing → live
        live ended: disconnect; ask station ended; watchdog 15.0; =connecting 0 ended → connecting
        live unreachable: disconnect; ask station unreachable; watchdog 15.0; =connecting 0 unreachable → connecting
        live refused: disconnect; ask station refused; watchdog 15.0; =connecting 0 refused → connecting
        live final: disconnect; ask station notAudio; watchdog 15.0; =connecting 0 notAudio → connecting
        live notAudio: disconnect; ask station notAudio; watchdog 15.0; =connecting 0 notAudio → connecting
        live watchdog: disconnect; ask station silent; watchdog 15.0; =connecting 0 silent → connecting
        live retry: nothing → live
        live grace: nothing → live
        live path: watchdog 2.0 → live
        live close: disconnect; no watchdog; end; =ended 0 → closed
        waiting came: nothing → waiting
        waiting left: grace 0.25 → waiting
        waiting answered: nothing → waiting
        waiting bytes: nothing → waiting
        waiting sound: nothing → waiting
        waiting playlist: nothing → waiting
        waiting emptyPlaylist: nothing → waiting
        waiting ended: nothing → waiting
        waiting unreachable: nothing → waiting
        waiting refused: nothing → waiting
        waiting final: nothing → waiting
        waiting notAudio: nothing → waiting
        waiting watchdog: nothing → waiting
        waiting retry: ask station; watchdog 15.0; =connecting 2 unreachable → connecting
        waiting grace: nothing → waiting
        waiting path: no retry; ask station; watchdog 15.0; =connecting 2 unreachable → connecting
        waiting close: no retry; end; =ended 2 unreachable → closed
        left came: no grace → live
        left left: grace 0.25 → live
        left answered: nothing → live
        left bytes: nothing → live
        left sound: nothing → live
        left playlist: nothing → live
        left emptyPlaylist: nothing → live
        left ended: disconnect; ask station ended; watchdog 15.0; =connecting 0 ended → connecting
        left unreachable: disconnect; ask station unreachable; watchdog 15.0; =connecting 0 unreachable → connecting
        left refused: disconnect; ask station refused; watchdog 15.0; =connecting 0 refused → connecting
        left final: disconnect; ask station notAudio; watchdog 15.0; =connecting 0 notAudio → connecting
        left notAudio: disconnect; ask station notAudio; watchdog 15.0; =connecting 0 notAudio → connecting
        left watchdog: disconnect; ask station silent; watchdog 15.0; =connecting 0 silent → connecting
        left retry: nothing → live
        left grace: disconnect; no watchdog; =idle 0 → idle
        left path: watchdog 2.0 → live
        left close: disconnect; no watchdog; no grace; end; =ended 0 → closed
        ended came: ask station; watchdog 15.0; =connecting 0 → connecting
        ended left: nothing → ended
        ended answered: nothing → ended
        ended bytes: nothing → ended
        ended sound: nothing → ended
        ended playlist: nothing → ended
        ended emptyPlaylist: nothing → ended
        ended ended: nothing → ended
        ended unreachable: nothing → ended
        ended refused: nothing → ended
        ended final: nothing → ended
        ended notAudio: nothing → ended
        ended watchdog: nothing → ended
        ended retry: nothing → ended
        ended grace: nothing → ended
        ended path: nothing → ended
        ended close: end → closed
        closed came: nothing → closed
        closed left: nothing → closed
        closed answered: nothing → closed
        closed bytes: nothing → closed
        closed sound: nothing → closed
        closed playlist: nothing → closed
        closed emptyPlaylist: nothing → closed
        closed ended: nothing → closed
        closed unreachable: nothing → closed
        closed refused: nothing → closed
        closed final: nothing → closed
        closed notAudio: nothing → closed
        closed watchdog: nothing → closed
        closed retry: nothing → closed
        closed grace: nothing → closed
        closed path: nothing → closed
        closed close: nothing → closed
        """

    @Test("does what the table says, and the table covers every pair")
    func pairs() {
        let lines = Self.table.split(separator: "\n").map(String.init)
        #expect(lines.count == MachineScript.ways.count * MachineScript.Event.allCases.count)
        var line = lines.makeIterator()
        for way in MachineScript.ways {
            for event in MachineScript.Event.allCases {
                var script = MachineScript()
                for step in way.events { _ = script.tell(step) }
                script.now = .seconds(20)
                let effects = script.tell(event)
                let text = effects.isEmpty ? "nothing" : effects
                #expect("\(way.name) \(event.rawValue): \(text) → \(script.state)" == line.next())
            }
        }
    }

    @Test("ignores events of an old connection or an old timer, in every state")
    func late() {
        for way in MachineScript.ways {
            var script = MachineScript()
            for step in way.events { _ = script.tell(step) }
            let before = (script.state, script.machine.status)
            let old = script.machine.generation + 7
            var effects = script.machine.answered(MachineScript.info, generation: old, now: .zero)
            effects += script.machine.bytesCame(generation: old, now: .zero)
            effects += script.machine.soundCame(.seconds(9), generation: old, now: .zero)
            effects += script.machine.playlistCame(["a"], generation: old, now: .zero)
            effects += script.machine.bodyEnded(generation: old, now: .zero)
            let failure = StationFailure(.unreachable, "late")
            effects += script.machine.failed(failure, generation: old, now: .zero)
            for timer in StationTimer.allCases {
                effects += script.machine.timerFired(timer, generation: 999, now: .zero)
            }
            #expect(effects.isEmpty)
            #expect(script.state == before.0)
            #expect(script.machine.status == before.1)
        }
    }
}
