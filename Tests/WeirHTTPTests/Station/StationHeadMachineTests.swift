// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirTestKit

@testable import WeirHTTP

@Suite("The machine before the parser of stations' heads")
struct StationHeadMachineTests {
    /// Bytes that look like a head, and are not one.
    private static let body = Array("\nICY 200 OK\n a : b\r\n\n\u{0}é".utf8)

    /// What the parser sees of pieces.
    private func seen(_ pieces: [ArraySlice<UInt8>]) -> (bytes: [UInt8], isTooLong: Bool) {
        var machine = StationHeadMachine()
        machine.armed()
        var seen: [UInt8] = []
        for piece in pieces {
            let effects = machine.received(piece)
            if effects.isTooLong { return (seen, true) }
            seen += effects.rewritten
            seen += piece.dropFirst(effects.consumed)
        }
        return (seen + machine.ended(), false)
    }

    @Test(
        "rewrites a head at every split into three, and leaves the body as it is",
        arguments: StationHead.all
    )
    func rewrites(_ head: StationHead) {
        let sent = (head.sent + Self.body)[...]
        let expected = head.seen + Self.body
        for first in 0...sent.count {
            for second in first...sent.count {
                let pieces = [sent[..<first], sent[first..<second], sent[second...]]
                guard self.seen(pieces).bytes != expected else { continue }
                Issue.record("differs when cut at \(first) and \(second)")
                return
            }
        }
    }

    @Test("rewrites a head byte by byte", arguments: StationHead.all)
    func rewritesBytes(_ head: StationHead) {
        let sent = head.sent + Self.body
        let seen = self.seen(sent.indices.map { sent[$0...$0] }).bytes
        #expect(
            String(decoding: seen, as: UTF8.self)
                == String(decoding: head.seen + Self.body, as: UTF8.self)
        )
    }

    @Test("touches nothing unless it is armed, and is idle behind a head")
    func idle() {
        var machine = StationHeadMachine()
        let bytes = Array("ICY 200 OK\n\n".utf8)
        #expect(machine.received(bytes) == StationHeadMachine.Effects())
        machine.armed()
        #expect(machine.isArmed)
        #expect(machine.received(bytes).consumed == bytes.count)
        #expect(!machine.isArmed)
        #expect(machine.received(bytes) == StationHeadMachine.Effects())
        machine.armed()
        #expect(machine.received(bytes).rewritten == Array("HTTP/1.0 200 OK\r\n\r\n".utf8))
    }

    @Test(
        "hands on what is no answer",
        arguments: ["", "\u{FF}\u{FB}abc\n", "SSH-2.0-x\n\n", "ICYX\n", "HTTQ/1.0\n", "HTTP", "IC"]
    )
    func others(_ text: String) {
        let bytes = Array(text.utf8)
        for cut in 0...bytes.count {
            #expect(self.seen([bytes[..<cut], bytes[cut...]]).bytes == bytes)
        }
    }

    @Test("hands on what is left of a head that breaks off, at every byte")
    func halfHeads() {
        for head in StationHead.all {
            for count in 0..<head.sent.count {
                var machine = StationHeadMachine()
                machine.armed()
                let effects = machine.received(head.sent[..<count])
                #expect(effects.consumed == count)
                let seen = effects.rewritten + machine.ended()
                // All but the line that broke off is as in the whole head.
                #expect(head.seen.starts(with: effects.rewritten))
                #expect(seen.count <= head.seen.count + 16)
                #expect(!machine.isArmed)
            }
        }
    }

    @Test("gives up a head that is too long, in one line, in many, and in interim answers")
    func bounds() {
        let start = Array("ICY 200 OK\n".utf8)
        let line = start + [UInt8](repeating: UInt8(ascii: "a"), count: 70_000)
        #expect(self.seen([line[...]]).isTooLong)
        let many = start + Array(repeatElement(Array("a: b\n".utf8), count: 14_000).joined())
        #expect(self.seen([many[...]]).isTooLong)
        let empty = [UInt8](repeating: UInt8(ascii: "\n"), count: 70_000)
        #expect(self.seen([empty[...]]).isTooLong)
        let interim = Array(
            repeatElement(Array("HTTP/1.1 100 C\r\n\r\n".utf8), count: 4_000).joined()
        )
        #expect(self.seen([interim[...]]).isTooLong)
        let fits = start + Array(repeatElement(Array("a: b\n".utf8), count: 13_000).joined()) + [10]
        #expect(!self.seen([fits[...]]).isTooLong)
    }

    @Test("takes any bytes without a trap, and never more than came", arguments: 0..<200)
    func garbage(_ seed: Int) {
        var generator = SeededGenerator(seed: UInt64(seed))
        var bytes = StationHead.all[seed % StationHead.all.count].sent
        for _ in 0..<Int.random(in: 1...8, using: &generator) {
            let index = Int.random(in: 0..<bytes.count, using: &generator)
            bytes[index] = UInt8.random(in: 0...255, using: &generator)
        }
        let whole = self.seen([bytes[...]]).bytes
        let singles = self.seen(bytes.indices.map { bytes[$0...$0] }).bytes
        #expect(whole == singles, "seed \(seed)")
    }
}
