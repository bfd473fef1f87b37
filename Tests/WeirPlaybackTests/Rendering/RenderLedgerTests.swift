// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirPlayback

@Suite("The ledger of the heard sound")
struct RenderLedgerTests {
    @Test("a title is reported with its sample, not before")
    func titles() {
        var ledger = RenderLedger()
        ledger.setRate(1000)
        ledger.begin(at: .zero)
        ledger.wrote(frameCount: 500)
        ledger.mark(.title(PlayerTitle(title: "second"), sample: 500))
        ledger.wrote(frameCount: 500)
        #expect(ledger.advance(delay: .milliseconds(501)).isEmpty)
        let due = ledger.advance(delay: .milliseconds(500))
        #expect(due.count == 1)
        #expect(ledger.position == .milliseconds(500))
        #expect(ledger.advance(delay: .zero).isEmpty)
        #expect(ledger.position == .seconds(1))
    }

    @Test("positions belong to the heard item, also after the next item has begun")
    func items() {
        var ledger = RenderLedger()
        ledger.setRate(1000)
        ledger.begin(at: .seconds(7))
        ledger.wrote(frameCount: 1000)
        ledger.begin(at: .zero)
        ledger.wrote(frameCount: 1000)
        _ = ledger.advance(delay: .milliseconds(1500))
        #expect(ledger.position == .milliseconds(7500))
        _ = ledger.advance(delay: .milliseconds(900))
        #expect(ledger.position == .milliseconds(100))
    }

    @Test(
        "a mark has the position of the item in which it was written, even if the next item is heard"
    )
    func marks() {
        var ledger = RenderLedger()
        ledger.setRate(1000)
        ledger.begin(at: .seconds(7))
        ledger.wrote(frameCount: 1000)
        ledger.mark(.title(PlayerTitle(title: "behind"), sample: 1000))
        ledger.begin(at: .zero)
        ledger.wrote(frameCount: 1000)
        let due = ledger.advance(delay: .milliseconds(500))
        #expect(due.map(\.position) == [.seconds(8)])
        #expect(ledger.position == .milliseconds(500))
    }

    @Test("skipped time counts in later positions, and not in earlier ones")
    func skips() {
        var ledger = RenderLedger()
        ledger.setRate(1000)
        ledger.begin(at: .seconds(7), .approximate)
        ledger.wrote(frameCount: 1000)
        ledger.skip(.seconds(3))
        ledger.wrote(frameCount: 1000)
        _ = ledger.advance(delay: .milliseconds(1001))
        #expect(ledger.position == .milliseconds(7999))
        _ = ledger.advance(delay: .milliseconds(500))
        #expect(ledger.position == .milliseconds(11_500))
        #expect(ledger.precision == .approximate)
    }

    @Test("changes of the sample rate do not move the time, and rounding does not add up")
    func rates() {
        var ledger = RenderLedger()
        ledger.begin(at: .zero)
        for _ in 0..<1000 {
            ledger.setRate(44_100)
            ledger.wrote(frameCount: 44_100)
            ledger.setRate(48_000)
            for _ in 0..<48 { ledger.wrote(frameCount: 1000) }
        }
        #expect(ledger.written == .seconds(2000))
        // A day of frames whose duration is not a whole number of nanoseconds.
        ledger.setRate(44_100)
        for _ in 0..<3_307_500 { ledger.wrote(frameCount: 1152) }
        #expect(ledger.written == .seconds(2000 + 86_400))
    }

    @Test("positions never go back, whatever delay a device reports", arguments: 0..<50)
    func monotonic(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var ledger = RenderLedger()
        ledger.setRate(8000)
        ledger.begin(at: .zero)
        var last = Duration.zero
        for _ in 0..<300 {
            ledger.wrote(frameCount: Int.random(in: 0...2000, using: &generator))
            _ = ledger.advance(delay: .milliseconds(Int.random(in: -50...900, using: &generator)))
            #expect(ledger.position >= last)
            #expect(ledger.position <= ledger.written)
            last = ledger.position
        }
    }

    @Test("the number of marks that are never heard is bounded")
    func bounded() {
        var ledger = RenderLedger()
        ledger.begin(at: .zero)
        ledger.setRate(8000)
        ledger.wrote(frameCount: 1)
        for _ in 0..<100_000 { ledger.mark(.level(AudioLevel())) }
        #expect(ledger.advance(delay: .zero).count == RenderLedger.capacity)
    }
}
