// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirLive

@Suite("A station's machine, sequences of events")
struct StationMachineTests {
    @Test("waits 0, 1, 2, 4, 8, 16, 30, 30 s, and counts the attempts that brought no sound")
    func waits() {
        var script = MachineScript()
        _ = script.tell(.came)
        var waits: [Double] = []
        for _ in 0..<9 {
            _ = script.tell(.unreachable)
            if case .waiting(let delay) = script.machine.state {
                waits.append(delay / .seconds(1))
                _ = script.tell(.retry)
            } else {
                waits.append(0)
            }
        }
        #expect(waits == [0, 1, 2, 4, 8, 16, 30, 30, 30])
        #expect(script.machine.status.attempt == 9)
    }

    @Test(
        "varies each wait by at most a fifth, equally for the same seed",
        arguments: [1, 2, 3, 77]
    )
    func jitter(seed: UInt64) {
        func waits() -> [Duration] {
            var script = MachineScript(policy: ReconnectPolicy(), seed: seed)
            _ = script.tell(.came)
            var waits: [Duration] = []
            while waits.count < 40 {
                _ = script.tell(.unreachable)
                guard case .waiting(let delay) = script.machine.state else { continue }
                waits.append(delay)
                _ = script.tell(.retry)
            }
            return waits
        }
        let first = waits()
        #expect(first == waits())
        let expected: [Double] = [1, 2, 4, 8, 16] + [Double](repeating: 30, count: 35)
        for (wait, expected) in zip(first, expected) {
            let part = wait / .seconds(expected)
            #expect(part >= 0.8 && part <= 1.2)
        }
        #expect(Set(first.suffix(35)).count > 30)
    }

    @Test("resets its waits after 10 s of sound, of one connection or of several in a row")
    func proof() {
        var script = MachineScript()
        _ = script.tell(.came)
        for _ in 0..<5 {
            _ = script.tell(.unreachable)
            _ = script.tell(.retry)
        }
        func bring(_ sound: Duration, in time: Duration? = nil) -> String {
            if case .waiting = script.machine.state { _ = script.tell(.retry) }
            _ = script.tell(.answered)
            _ = script.tell(.sound, sound: sound)
            script.now += time ?? sound
            return script.tell(.ended)
        }
        #expect(bring(.milliseconds(100)).contains("=waiting 16.0"))
        #expect(bring(.seconds(4)).contains("=waiting 1.0"))
        #expect(bring(.seconds(4)).contains("=waiting 1.0"))
        #expect(bring(.seconds(4)).contains("ask station"))
        // Sound that arrives at once may have been broadcast earlier.
        #expect(bring(.seconds(60), in: .milliseconds(10)).contains("=waiting 1.0"))
        #expect(bring(.seconds(60), in: .milliseconds(10)).contains("=waiting 2.0"))
        #expect(bring(.seconds(11)).contains("ask station"))
        #expect(bring(.seconds(11)).contains("ask station"))
    }

    @Test("gives up after two refusals in a row, not after two with another failure between")
    func refusals() {
        var script = MachineScript()
        _ = script.tell(.came)
        _ = script.tell(.refused)
        _ = script.tell(.unreachable)
        _ = script.tell(.retry)
        _ = script.tell(.refused)
        #expect(script.state == "waiting")
        _ = script.tell(.retry)
        #expect(script.tell(.refused) == "disconnect; no watchdog; end refused; =ended 4 refused")
        #expect(script.tell(.came) == "ask station; watchdog 15.0; =connecting 0")
    }

    @Test("once it has played, asks again after every refusal, with a back-off")
    func refusesLater() {
        var script = MachineScript()
        _ = script.tell(.came)
        _ = script.tell(.answered)
        _ = script.tell(.sound, sound: .seconds(20))
        script.now += .seconds(20)
        _ = script.tell(.ended)
        var waits: [String] = []
        for _ in 0..<8 {
            waits.append(script.tell(.refused).split(separator: "=").last.map(String.init) ?? "")
            _ = script.tell(.retry)
        }
        #expect(
            waits
                == [1.0, 2.0, 4.0, 8.0, 16.0, 30.0, 30.0, 30.0].enumerated().map {
                    "waiting \($1) \($0 + 1) refused"
                }
        )
        _ = script.tell(.answered)
        _ = script.tell(.sound)
        #expect(script.machine.status.phase == .live)
        #expect(script.machine.status.reason == nil)
    }

    @Test(
        "names its reason for waiting while a station that has played refuses",
        arguments: [
            (404, "has no stream for the moment (404), perhaps because its source is away"),
            (
                403,
                "accepts no more listeners for the moment (403), perhaps because it is full"
            ),
            (401, "has played before and refuses its stream now (401)"),
        ]
    )
    func refusalOfPlayed(status: Int, words: String) {
        let code: SourceError.Code =
            status == 404 ? .notFound : status == 403 ? .forbidden : .unauthorized
        let error = SourceError(code, "m", status: status)
        let failure = StationFailure(error, asking: "radio.example")
        #expect(failure.loss.message == "m")
        let later = failure.ofPlayed("radio.example").loss
        #expect(later.message == "radio.example \(words); Weir connects again.")
        #expect(later.code == .refused)
    }

    @Test("tries the entries of a playlist in turn without waiting, then the station's own address")
    func entries() {
        var script = MachineScript()
        _ = script.tell(.came)
        _ = script.tell(.answered)
        #expect(script.tell(.playlist).hasPrefix("disconnect; ask a;"))
        #expect(script.tell(.unreachable).hasPrefix("disconnect; ask b;"))
        _ = script.tell(.answered)
        #expect(script.tell(.notAudio).hasPrefix("disconnect; ask station;"))
        _ = script.tell(.answered)
        #expect(script.tell(.playlist).hasPrefix("disconnect; ask a;"))
        _ = script.tell(.answered)
        _ = script.tell(.sound)
        // After sound, the machine asks the station again from the start: its entries and their
        // tokens may have changed.
        _ = script.tell(.ended)
        #expect(script.tell(.retry).hasPrefix("ask station ended;"))
    }

    @Test("tries the entries of nested playlists before the waiting ones, four levels deep")
    func nested() {
        var script = MachineScript()
        _ = script.tell(.came)
        for (entries, target) in [
            (["a", "z"], "a"), (["b"], "b"), (["c"], "c"), (["d"], "d"),
        ] {
            _ = script.tell(.answered)
            #expect(
                script.tell(.playlist, entries: entries).hasPrefix("disconnect; ask \(target);")
            )
        }
        _ = script.tell(.answered)
        #expect(script.tell(.playlist, entries: ["e"]).hasPrefix("disconnect; ask z;"))
    }

    @Test("gives up a playlist that names itself, at once, and one that stays empty")
    func namesItself() {
        var script = MachineScript()
        _ = script.tell(.came)
        for _ in 0..<4 {
            _ = script.tell(.answered)
            _ = script.tell(.playlist, entries: ["self.m3u"])
        }
        _ = script.tell(.answered)
        #expect(
            script.tell(.playlist, entries: ["self.m3u"])
                == "disconnect; no watchdog; end notAudio; =ended 1 notAudio"
        )
        var empty = MachineScript()
        _ = empty.tell(.came)
        _ = empty.tell(.answered)
        _ = empty.tell(.emptyPlaylist)
        _ = empty.tell(.answered)
        #expect(empty.tell(.emptyPlaylist).contains("end notAudio"))
    }

    @Test("tries no more than 32 entries in a row, however many playlists list them")
    func manyEntries() {
        var script = MachineScript()
        let entries = (0..<1000).map { "e\($0)" }
        _ = script.tell(.came)
        _ = script.tell(.answered)
        _ = script.tell(.playlist, entries: entries)
        var count = 1
        while script.tell(.unreachable).contains("ask e") { count += 1 }
        #expect(count == 32)
        #expect(script.machine.status.attempt == 32)
    }

    @Test("gives up a playlist of which all entries refuse twice")
    func refusedEntries() {
        var script = MachineScript()
        _ = script.tell(.came)
        var texts: [String] = []
        for _ in 0..<2 {
            _ = script.tell(.answered)
            _ = script.tell(.playlist)
            _ = script.tell(.refused)
            texts.append(script.tell(.refused))
        }
        #expect(texts[0].contains("ask station"))
        #expect(texts[1].contains("end refused"))
    }

    @Test("extends its wait when bytes arrive, and leaves 10 s after the last bytes")
    func watchdog() {
        var script = MachineScript()
        _ = script.tell(.came)
        #expect(script.tell(.answered).hasPrefix("watchdog 10.0"))
        _ = script.tell(.sound)
        script.now = .seconds(7)
        _ = script.tell(.bytes)
        _ = script.tell(.sound)
        script.now = .seconds(10)
        #expect(script.tell(.watchdog) == "watchdog 7.0")
        script.now = .seconds(17)
        #expect(script.tell(.watchdog).contains("ask station silent"))
    }

    @Test("leaves a station that sends bytes but no sound for 30 s")
    func mute() {
        var script = MachineScript()
        _ = script.tell(.came)
        _ = script.tell(.answered)
        _ = script.tell(.sound)
        for second in 1...29 {
            script.now = .seconds(second)
            _ = script.tell(.bytes)
            if second % 10 == 0 { #expect(script.tell(.watchdog).hasPrefix("watchdog")) }
        }
        script.now = .seconds(30)
        _ = script.tell(.bytes)
        #expect(script.tell(.watchdog).contains("ask station notAudio"))
    }

    @Test("gives a live connection 2 s to show that it survived a change of the network")
    func path() {
        var script = MachineScript()
        _ = script.tell(.came)
        _ = script.tell(.answered)
        _ = script.tell(.sound)
        script.now = .seconds(5)
        #expect(script.tell(.path) == "watchdog 2.0")
        script.now = .seconds(6)
        _ = script.tell(.bytes)
        script.now = .seconds(7)
        #expect(script.tell(.watchdog) == "watchdog 9.0")
    }

    @Test("counts the earlier connections that brought sound")
    func reconnects() {
        var script = MachineScript()
        _ = script.tell(.came)
        for expected in [0, 1, 2] {
            _ = script.tell(.unreachable)
            _ = script.tell(.retry)
            _ = script.tell(.answered)
            _ = script.tell(.sound, sound: .seconds(20))
            #expect(script.machine.status.reconnects == expected)
            #expect(script.machine.status.reason == nil)
            _ = script.tell(.ended)
            #expect(script.machine.status.reason?.code == .ended)
        }
    }

    @Test(
        "leaves a server alone for as long as it asks, but not for years",
        arguments: [(-5, nil), (0, nil), (40, 40), (120, 120), (1 << 40, 120)] as [(Int64, Int64?)]
    )
    func patience(asked: Int64, expected: Int64?) {
        var script = MachineScript()
        _ = script.tell(.came)
        let failure = StationFailure(
            SourceError(
                .throttled,
                "busy",
                cause: StationPatience(delay: .seconds(asked))
            ),
            asking: "radio.example"
        )
        #expect(failure.loss.code == .failing && failure.loss.message == "busy")
        let generation = script.machine.generation
        _ = script.machine.failed(failure, generation: generation, now: .zero)
        let state = expected.map { StationMachine.State.waiting(.seconds($0)) } ?? .connecting
        #expect(script.machine.state == state)
    }
}
