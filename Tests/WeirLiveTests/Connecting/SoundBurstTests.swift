// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirLive

@Suite("A server that sends in bursts")
struct SoundBurstTests {
    /// Simulates a server that sends by a schedule: each burst spreads its sound evenly between two times.
    ///
    /// - Returns: the time at which the machine gives up the silent connection; `nil` if it keeps the connection to the
    /// end.
    private static func loss(
        _ bursts: [(from: Double, to: Double, sound: Double)],
        until end: Double
    ) -> Double? {
        let step = 0.25
        var script = MachineScript()
        _ = script.tell(.came)
        _ = script.tell(.answered)
        var deadline = 10.0
        var sent = [Double](repeating: 0, count: bursts.count)
        var time = 0.0
        while time < end {
            for (index, burst) in bursts.enumerated() where time >= burst.from {
                let isAll = time >= burst.to
                let part = isAll ? 1 : (time - burst.from) / (burst.to - burst.from)
                let due = burst.sound * part
                guard due > sent[index] else { continue }
                script.now = .seconds(time)
                _ = script.tell(.bytes)
                _ = script.tell(.sound, sound: .seconds(due - sent[index]))
                sent[index] = due
            }
            if time >= deadline {
                script.now = .seconds(time)
                let effects = script.tell(.watchdog)
                if effects.contains("disconnect") { return time }
                guard
                    let word = effects.split(separator: ";").first(where: {
                        $0.contains("watchdog")
                    }),
                    let left = word.split(separator: " ").last.flatMap({ Double($0) })
                else { return nil }
                deadline = time + left
            }
            time += step
        }
        return nil
    }

    @Test(
        "keeps its connection while listeners have not yet heard all the sound that it sent",
        arguments: 1...30
    )
    func bursts(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let length = Double.random(in: 2...60, using: &random)
        let sending = Double.random(in: 0...(length / 4), using: &random)
        let bursts = (0..<12).map { index in
            let late = Double.random(in: 0...3, using: &random)
            let start = Double(index) * length + (index == 0 ? 0 : late)
            return (from: start, to: start + sending, sound: length)
        }
        let loss = Self.loss(bursts, until: 12 * length)
        #expect(loss == nil, "seed \(seed): \(length) s of sound in \(sending) s")
    }

    @Test(
        "loses its connection five seconds after its last burst was heard, and after 65 s at most"
    )
    func end() {
        let burst = (from: 0.0, to: 0.0, sound: 20.0)
        #expect(Self.loss([burst], until: 100) == 25)
        #expect(Self.loss([(0, 0, 600)], until: 100) == 65)
    }

    @Test(
        "loses its connection after ten seconds of silence if it sent in real time, however far ahead"
    )
    func steady() {
        #expect(Self.loss([(0, 0, 4), (0, 60, 60)], until: 100) == 70)
        #expect(Self.loss([(0, 0, 30), (0, 60, 60)], until: 100) == 70)
        #expect(Self.loss([(0, 0, 2)], until: 100) == 10)
    }
}
