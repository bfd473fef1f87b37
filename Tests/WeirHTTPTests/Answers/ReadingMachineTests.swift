// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirHTTP

@Suite("The state of a reading")
struct ReadingMachineTests {
    private func answer(
        _ body: Range<Int64>,
        of length: Int64?,
        wanted: Range<Int64>? = nil,
        hasEnd: Bool = true,
        validator: Validator? = .entityTag("\"v\"")
    ) -> AcceptedAnswer {
        AcceptedAnswer(
            description: ResourceDescription(length: length, validator: validator),
            bodyLowerBound: body.lowerBound,
            bodyUpperBound: hasEnd ? body.upperBound : nil,
            lowerBound: (wanted ?? body).lowerBound,
            upperBound: wanted?.upperBound ?? length
        )
    }

    private func memory(_ range: Range<Int64>, seed: UInt64 = 1) -> ByteMemory {
        ByteMemory(PatternBytes.bytes(in: range, seed: seed))
    }

    private func ranges(_ arrival: ReadingMachine.Arrival) -> [Range<Int64>]? {
        guard case .chunks(let chunks) = arrival else { return nil }
        for chunk in chunks {
            let difference = (try? chunk.bytes()).flatMap {
                PatternBytes.firstDifference(in: $0, at: chunk.range.lowerBound)
            }
            #expect(difference == nil)
        }
        return chunks.map(\.range)
    }

    @Test("hands on a body piece by piece, and finishes with its last byte")
    func handsOn() {
        var machine = ReadingMachine(self.answer(0..<30, of: 30), expectsPage: false)
        #expect(self.ranges(machine.received(self.memory(0..<10))) == [0..<10])
        #expect(!machine.isFinished)
        #expect(self.ranges(machine.received(self.memory(10..<30))) == [10..<30])
        #expect(machine.isFinished && machine.isBodyRead)
    }

    @Test("discards the bytes before and after an ignored range")
    func cutsIgnoredRange() {
        for piece in Int64(1)...50 {
            var machine = ReadingMachine(
                self.answer(0..<50, of: 50, wanted: 20..<30),
                expectsPage: false
            )
            var yielded: [Range<Int64>] = []
            var offset: Int64 = 0
            while offset < 50, !machine.isFinished {
                let end = min(offset + piece, 50)
                switch machine.received(self.memory(offset..<end)) {
                case .nothing: break
                case .chunks(let chunks): yielded += chunks.map(\.range)
                case .mismatch, .page, .excess: Issue.record("refused")
                }
                offset = end
            }
            #expect(yielded.first?.lowerBound == 20 && yielded.last?.upperBound == 30)
            #expect(yielded.reduce(0) { $0 + $1.count } == 10)
            #expect(machine.isFinished)
        }
    }

    @Test("requests the missing rest of a short part, from the next byte")
    func asksForRest() {
        var machine = ReadingMachine(
            self.answer(10..<20, of: 100, wanted: 10..<60),
            expectsPage: false
        )
        _ = machine.received(self.memory(10..<20))
        guard case .more = machine.ended() else {
            Issue.record("does not want more")
            return
        }
        #expect(machine.rest == .span(20..<60))
        machine.began(self.answer(20..<60, of: 100))
        #expect(self.ranges(machine.received(self.memory(20..<60))) == [20..<60])
        #expect(machine.isFinished)
    }

    @Test("distinguishes a short body from a complete one")
    func tellsShortBody() {
        var short = ReadingMachine(self.answer(0..<20, of: 20), expectsPage: false)
        _ = short.received(self.memory(0..<19))
        guard case .cutShort = short.ended() else {
            Issue.record("not cut short")
            return
        }
        var open = ReadingMachine(self.answer(0..<20, of: nil, hasEnd: false), expectsPage: false)
        _ = open.received(self.memory(0..<19))
        guard case .finished = open.ended() else {
            Issue.record("not finished")
            return
        }
        #expect(open.lengthShownByEnd == 19 && open.isFinished)
    }

    @Test("refuses more bytes than announced")
    func refusesExcess() {
        var machine = ReadingMachine(self.answer(0..<20, of: 20), expectsPage: false)
        guard case .excess = machine.received(self.memory(0..<21)) else {
            Issue.record("taken")
            return
        }
        var last = ReadingMachine(
            self.answer((Int64.max - 5)..<Int64.max, of: nil, hasEnd: false),
            expectsPage: false
        )
        guard case .excess = last.received(self.memory(0..<9)) else {
            Issue.record("taken")
            return
        }
    }

    @Test("reports a start past the end when the body shows the end")
    func knowsPastTheEnd() {
        var machine = ReadingMachine(
            self.answer(0..<0, of: nil, wanted: 50..<60, hasEnd: false),
            expectsPage: false
        )
        _ = machine.received(self.memory(0..<49))
        guard case .pastTheEnd(length: 49) = machine.ended() else {
            Issue.record("not past the end")
            return
        }
    }

    @Test("without a validator re-reads 4 KiB and compares them, for pieces of any size")
    func comparesOverlap() {
        for seed in [UInt64(1), 2] {
            for piece in [Int64(1), 100, 4_095, 4_096, 4_097, 10_000] {
                var machine = ReadingMachine(
                    self.answer(0..<20_000, of: 20_000, validator: nil),
                    expectsPage: false
                )
                for start in stride(from: Int64(0), to: 9_000, by: 1_000) {
                    _ = machine.received(self.memory(start..<(start + 1_000)))
                }
                let start = Int64(9_000 - 4_096)
                #expect(machine.rest == .span(start..<20_000))
                machine.began(self.answer(start..<20_000, of: 20_000, validator: nil))
                var offset = start
                var outcome = "joined"
                joining: while offset < 20_000 {
                    let end = min(offset + piece, 20_000)
                    switch machine.received(self.memory(offset..<end, seed: seed)) {
                    case .mismatch:
                        outcome = "mismatch"
                        break joining
                    case .nothing: #expect(end <= 9_000)
                    case .chunks(let chunks):
                        #expect(chunks.allSatisfy { $0.range.lowerBound >= 9_000 })
                    case .page, .excess: Issue.record("refused")
                    }
                    offset = end
                }
                #expect(outcome == (seed == 1 ? "joined" : "mismatch"))
            }
        }
    }

    @Test("of unknown end is over when only repeated bytes arrive")
    func isOverAfterOverlap() {
        var machine = ReadingMachine(
            self.answer(0..<100, of: nil, validator: nil),
            expectsPage: false
        )
        _ = machine.received(self.memory(0..<100))
        guard case .more = machine.ended() else {
            Issue.record("no more")
            return
        }
        #expect(machine.rest == .from(0))
        machine.began(self.answer(0..<100, of: nil, validator: nil))
        _ = machine.received(self.memory(0..<100))
        guard case .finished = machine.ended() else {
            Issue.record("not finished")
            return
        }
    }

    @Test("holds back a possible page until the decision, and loses nothing")
    func holdsBackPage() {
        let text = Array("<html>".utf8)
        var page = ReadingMachine(self.answer(0..<6, of: 6), expectsPage: false)
        for byte in text.dropLast() {
            guard case .nothing = page.received(ByteMemory([byte])) else {
                Issue.record("handed on")
                return
            }
        }
        guard case .page = page.received(ByteMemory([text[5]])) else {
            Issue.record("not a page")
            return
        }
        var other = ReadingMachine(self.answer(0..<4, of: 4), expectsPage: false)
        for byte in Array("<q b".utf8).dropLast() { _ = other.received(ByteMemory([byte])) }
        guard case .chunks(let chunks) = other.received(ByteMemory([0x62])) else {
            Issue.record("not handed on")
            return
        }
        #expect(chunks.map(\.range) == [0..<1, 1..<2, 2..<3, 3..<4])
        var wanted = ReadingMachine(self.answer(0..<6, of: 6), expectsPage: true)
        guard case .chunks = wanted.received(ByteMemory(text)) else {
            Issue.record("not handed on")
            return
        }
    }
}
