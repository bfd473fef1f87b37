// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOHTTP1
import Testing
import WeirTestKit

@testable import WeirTestServers

@Suite("Sending")
struct SendingTests {
    /// The bytes written for an answer, and the first step that is not a write.
    private func sent(_ answer: ServerAnswer, now: Double = 0) -> (bytes: [UInt8], Sending.Step) {
        var sending = Sending(number: 0, answer: answer)
        var bytes: [UInt8] = []
        while true {
            let step = sending.next(now: now)
            guard case .write(let piece) = step else { return (bytes, step) }
            bytes += piece
        }
    }

    private let answer = ServerAnswer(
        status: 200,
        body: ServerBody([
            .bytes([1, 2, 3]), .part(.pattern(length: 200_000), 10..<150_000), .bytes([4]),
        ])
    )

    @Test("a body is its pieces, in order")
    func whole() {
        let (bytes, step) = self.sent(self.answer)
        #expect(bytes == [1, 2, 3] + PatternBytes.bytes(in: 10..<150_000) + [4])
        #expect(step == .finish)
        #expect(self.answer.body.bytes == bytes)
    }

    @Test("a body is cut and stalled to the byte", arguments: [0, 1, 3, 4, 70_000, 149_994])
    func cut(_ limit: Int64) {
        var answer = self.answer
        answer.ending = .cut(after: limit)
        #expect(self.sent(answer).bytes.count == Int(limit))
        #expect(self.sent(answer).1 == .close)
        answer.ending = .stalled(after: limit)
        #expect(self.sent(answer).bytes.count == Int(limit))
        #expect(self.sent(answer).1 == .wait)
    }

    @Test("a cut behind the end leaves the body whole")
    func cutAfterEnd() {
        var answer = self.answer
        answer.ending = .cut(after: 1_000_000)
        #expect(self.sent(answer).1 == .finish)
    }

    @Test("a body ends at its deadline")
    func deadline() {
        var answer = self.answer
        answer.deadline = 5
        #expect(self.sent(answer, now: 4.9).1 == .finish)
        #expect(self.sent(answer, now: 5).1 == .close)
    }

    @Test("a file that has become shorter ends its connection")
    func shrunken() {
        let content = ServedContent(length: 10) { _ in [1, 2] }
        let (bytes, step) = self.sent(
            ServerAnswer(status: 200, body: ServerBody([.part(content, 0..<10)]))
        )
        #expect(bytes.count < 10)
        #expect(step == .close)
    }

    @Test("a header gives the length of the body, also if no body is sent")
    func head() {
        let sending = Sending(number: 0, answer: self.answer, isHeadOnly: true, staysOpen: false)
        let head = sending.head(now: 0)
        #expect(head.headers["content-length"] == ["149994"])
        #expect(head.headers["connection"] == ["close"])
    }
}
