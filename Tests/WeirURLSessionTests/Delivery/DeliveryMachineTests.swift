// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirHTTP

@testable import WeirURLSession

@Suite("The delivery of an answer")
struct DeliveryMachineTests {
    private typealias Machine = DeliveryMachine<String, String, Int, Int>
    private struct Failure: Error {}

    /// The effects as a line: the waiters and their results, `hold` or `flow`, `abort`.
    private func line(_ effects: Machine.Effects) -> String {
        var words: [String] = []
        if let (waiter, outcome) = effects.headWaiter {
            words.append("\(waiter)=\(self.word(outcome.map { $0 }))")
        }
        if let (waiter, outcome) = effects.pieceWaiter {
            words.append("\(waiter)=\(self.word(outcome))")
        }
        if let holds = effects.holds { words.append(holds ? "hold" : "flow") }
        if effects.aborts { words.append("abort") }
        return words.joined(separator: ", ")
    }

    private func word(_ outcome: Result<String?, any Error>) -> String {
        switch outcome {
        case .success(let text): text ?? "end"
        case .failure(is CancellationError): "cancelled"
        case .failure(let error as HTTPTransportError): "\(error.code)"
        case .failure: "failure"
        }
    }

    @Test("holds the flow beyond its slack, and releases it when nothing is kept")
    func holds() {
        var machine = Machine(slack: 3, limit: 100)
        #expect(self.line(machine.headAwaited(1)) == "")
        #expect(self.line(machine.headReceived("head", bodyLength: 30)) == "1=head")
        #expect(self.line(machine.pieceReceived("abc", count: 3)) == "")
        #expect(self.line(machine.pieceReceived("def", count: 3)) == "hold")
        #expect(self.line(machine.pieceReceived("ghi", count: 3)) == "")
        #expect(machine.isHeld)
        #expect(self.line(machine.pulled(2)) == "2=abc")
        #expect(self.line(machine.pulled(3)) == "3=def")
        #expect(self.line(machine.pulled(4)) == "4=ghi, flow")
        #expect(self.line(machine.pulled(5)) == "")
        #expect(self.line(machine.pieceReceived("jkl", count: 3)) == "5=jkl")
    }

    @Test("without slack keeps one piece, and late pieces of the platform")
    func holdsOnePiece() {
        var machine = Machine(slack: 0, limit: 6)
        _ = machine.headReceived("head", bodyLength: nil)
        #expect(self.line(machine.headAwaited(1)) == "1=head")
        #expect(self.line(machine.pieceReceived("abc", count: 3)) == "hold")
        #expect(self.line(machine.pieceReceived("def", count: 3)) == "")
        #expect(self.line(machine.pulled(2)) == "2=abc")
        #expect(self.line(machine.pulled(3)) == "3=def, flow")
        #expect(self.line(machine.ended()) == "")
        #expect(self.line(machine.pulled(4)) == "4=end")
    }

    @Test("aborts the request at its limit, passes on the kept pieces, and then fails as lost")
    func givesUp() {
        var machine = Machine(slack: 0, limit: 6)
        _ = machine.headReceived("head", bodyLength: 30)
        _ = machine.pieceReceived("abc", count: 3)
        _ = machine.pieceReceived("def", count: 3)
        #expect(self.line(machine.pieceReceived("ghi", count: 3)) == "flow, abort")
        #expect(self.line(machine.pieceReceived("jkl", count: 3)) == "")
        #expect(self.line(machine.failed(Failure())) == "")
        #expect(self.line(machine.pulled(1)) == "1=abc")
        #expect(self.line(machine.pulled(2)) == "2=def")
        #expect(self.line(machine.pulled(3)) == "3=connectionLost")
    }

    @Test("keeps one piece that is larger than its limit")
    func keepsOnePiece() {
        var machine = Machine(slack: 0, limit: 2)
        _ = machine.headReceived("head", bodyLength: 30)
        #expect(self.line(machine.pieceReceived("abc", count: 3)) == "hold")
        #expect(self.line(machine.pieceReceived("d", count: 1)) == "flow, abort")
        #expect(self.line(machine.pulled(1)) == "1=abc")
        #expect(self.line(machine.pulled(2)) == "2=connectionLost")
    }

    @Test("neither holds nor aborts for the last piece of a body")
    func lastPiece() {
        var machine = Machine(slack: 0, limit: 3)
        _ = machine.headReceived("head", bodyLength: 4)
        #expect(self.line(machine.pieceReceived("abcd", count: 4)) == "")
        #expect(self.line(machine.ended()) == "")
        #expect(self.line(machine.pulled(1)) == "1=abcd")
        #expect(self.line(machine.pulled(2)) == "2=end")
    }

    @Test("refuses an early end, and more bytes than announced")
    func counts() {
        var short = Machine(slack: 9, limit: 9)
        _ = short.headReceived("head", bodyLength: 4)
        _ = short.pieceReceived("abc", count: 3)
        #expect(self.line(short.ended()) == "")
        #expect(self.line(short.pulled(1)) == "1=abc")
        #expect(self.line(short.pulled(2)) == "2=connectionLost")
        var long = Machine(slack: 9, limit: 9)
        _ = long.headReceived("head", bodyLength: 4)
        _ = long.pulled(1)
        #expect(self.line(long.pieceReceived("abcde", count: 5)) == "1=malformed, abort")
    }

    @Test("ends as lost when another answer begins, and accepts no byte of that answer")
    func beginsAnew() {
        var machine = Machine(slack: 9, limit: 9)
        _ = machine.headReceived("head", bodyLength: 10)
        _ = machine.headAwaited(1)
        _ = machine.pieceReceived("abcd", count: 4)
        #expect(self.line(machine.pulled(2)) == "2=abcd")
        #expect(self.line(machine.pulled(3)) == "")
        #expect(
            self.line(machine.headReceived("head", bodyLength: 10)) == "3=connectionLost, abort"
        )
        #expect(self.line(machine.pieceReceived("abcd", count: 4)) == "")
        #expect(self.line(machine.pulled(4)) == "4=connectionLost")
    }

    @Test("that never began fails the task that waits for the header, before or after")
    func failsHead() {
        var machine = Machine(slack: 9, limit: 9)
        #expect(self.line(machine.headAwaited(1)) == "")
        #expect(self.line(machine.ended()) == "1=connectionLost")
        #expect(self.line(machine.headAwaited(2)) == "2=connectionLost")
        var other = Machine(slack: 9, limit: 9)
        #expect(self.line(other.failed(Failure())) == "")
        #expect(self.line(other.headReceived("late", bodyLength: nil)) == "")
        #expect(self.line(other.headAwaited(1)) == "1=failure")
    }

    @Test("that fails after its header still gives the header")
    func headBeforeFailure() {
        var machine = Machine(slack: 9, limit: 9)
        _ = machine.headReceived("head", bodyLength: nil)
        _ = machine.failed(Failure())
        #expect(self.line(machine.headAwaited(1)) == "1=head")
        #expect(self.line(machine.pulled(2)) == "2=failure")
    }

    @Test("is aborted when its consumer leaves, unless all of it has come")
    func cancels() {
        var midway = Machine(slack: 0, limit: 9)
        _ = midway.headReceived("head", bodyLength: 6)
        _ = midway.pieceReceived("abc", count: 3)
        #expect(self.line(midway.cancelled()) == "flow, abort")
        #expect(self.line(midway.cancelled()) == "")
        #expect(self.line(midway.pulled(1)) == "1=cancelled")
        var whole = Machine(slack: 0, limit: 9)
        _ = whole.headReceived("head", bodyLength: 3)
        _ = whole.pieceReceived("abc", count: 3)
        #expect(self.line(whole.cancelled()) == "")
        #expect(self.line(whole.ended()) == "")
        #expect(self.line(whole.pulled(1)) == "1=cancelled")
        var waiting = Machine(slack: 0, limit: 9)
        _ = waiting.headAwaited(1)
        #expect(self.line(waiting.cancelled()) == "1=cancelled, abort")
        var ended = Machine(slack: 0, limit: 9)
        _ = ended.headReceived("head", bodyLength: nil)
        _ = ended.ended()
        #expect(self.line(ended.cancelled()) == "")
        #expect(self.line(ended.pulled(1)) == "1=cancelled")
    }
}
