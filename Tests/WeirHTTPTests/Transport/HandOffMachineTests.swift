// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirHTTP

@Suite("The hand-off of a body")
struct HandOffMachineTests {
    private typealias Machine = HandOffMachine<String, Int, Character>
    private struct Failure: Error {}

    /// What is to be done, as a line: the waiter and its result, the demand that is met, `abort`.
    private func line(_ effects: Machine.Effects) -> String {
        var words: [String] = []
        if let (waiter, outcome) = effects.waiter {
            switch outcome {
            case .success(let part?): words.append("\(waiter)=\(part)")
            case .success(nil): words.append("\(waiter)=end")
            case .failure(is CancellationError): words.append("\(waiter)=cancelled")
            case .failure: words.append("\(waiter)=failure")
            }
        }
        if let demand = effects.demand { words.append("meet \(demand)") }
        if effects.aborts { words.append("abort") }
        return words.joined(separator: ", ")
    }

    @Test("holds one part, and lets the next come when it was taken")
    func holdsOnePart() {
        var machine = Machine()
        #expect(self.line(machine.headReceived(bodyLength: 6, demand: "h")) == "")
        #expect(self.line(machine.pulled(1)) == "meet h")
        #expect(self.line(machine.partReceived("abc", count: 3, demand: "a")) == "1=abc, meet a")
        #expect(self.line(machine.partReceived("def", count: 3, demand: "b")) == "")
        #expect(self.line(machine.pulled(2)) == "2=def, meet b")
        #expect(self.line(machine.pulled(3)) == "")
        #expect(self.line(machine.ended()) == "3=end")
        #expect(self.line(machine.pulled(4)) == "4=end")
        #expect(self.line(machine.cancelled()) == "")
        #expect(self.line(machine.pulled(5)) == "5=cancelled")
    }

    @Test("hands on the part it holds before the failure that came after it")
    func handsOnBeforeFailure() {
        var machine = Machine()
        _ = machine.headReceived(bodyLength: nil, demand: "h")
        _ = machine.pulled(1)
        _ = machine.partReceived("abc", count: 3, demand: "a")
        _ = machine.partReceived("def", count: 3, demand: "b")
        #expect(self.line(machine.failed(Failure())) == "meet b")
        #expect(self.line(machine.pulled(2)) == "2=def")
        #expect(self.line(machine.pulled(3)) == "3=failure")
        #expect(self.line(machine.failed(Failure())) == "")
    }

    @Test("tells the waiter of the failure and of the departure")
    func tellsWaiter() {
        var failing = Machine()
        _ = failing.headReceived(bodyLength: 9, demand: "h")
        _ = failing.pulled(1)
        #expect(self.line(failing.failed(Failure())) == "1=failure")
        var leaving = Machine()
        _ = leaving.headReceived(bodyLength: 9, demand: "h")
        _ = leaving.pulled(1)
        #expect(self.line(leaving.cancelled()) == "1=cancelled, abort")
        #expect(self.line(leaving.cancelled()) == "")
        #expect(self.line(leaving.partReceived("abc", count: 3, demand: "a")) == "meet a")
        #expect(self.line(leaving.failed(Failure())) == "")
    }

    @Test("gives a request up only while bytes are to come")
    func sparesFinishedRequest() {
        var machine = Machine()
        _ = machine.headReceived(bodyLength: 3, demand: "h")
        _ = machine.pulled(1)
        _ = machine.partReceived("abc", count: 3, demand: "a")
        #expect(self.line(machine.cancelled()) == "")
        var holding = Machine()
        _ = holding.headReceived(bodyLength: 6, demand: "h")
        _ = holding.pulled(1)
        _ = holding.partReceived("abc", count: 3, demand: "a")
        _ = holding.partReceived("def", count: 3, demand: "b")
        #expect(self.line(holding.cancelled()) == "meet b")
        var empty = Machine()
        _ = empty.headReceived(bodyLength: 0, demand: "h")
        #expect(self.line(empty.cancelled()) == "meet h")
        var unknown = Machine()
        _ = unknown.headReceived(bodyLength: nil, demand: "h")
        #expect(self.line(unknown.cancelled()) == "meet h, abort")
        var headless = Machine()
        #expect(self.line(headless.cancelled()) == "abort")
        #expect(self.line(headless.headReceived(bodyLength: 1, demand: "h")) == "meet h")
    }

    @Test("meets every demand once, whatever the order of events")
    func meetsEveryDemand() {
        // All orders of five events of each kind, told by the digits of a number.
        for code in 0..<(6 * 6 * 6 * 6 * 6 * 6) {
            var machine = Machine()
            var given: [Character] = []
            var met: [Character] = []
            var waiting: Set<Int> = []
            var next = UInt8(ascii: "a")
            var isHeadThere = false
            var rest = code
            var waiter = 0
            for _ in 0..<6 {
                let effects: Machine.Effects
                switch rest % 6 {
                case 0 where !isHeadThere, 1 where !isHeadThere:
                    isHeadThere = true
                    given.append("h")
                    effects = machine.headReceived(bodyLength: 2, demand: "h")
                case 0, 1:
                    // The client brings a part only when the demand before was met.
                    guard met.count == given.count else { continue }
                    let demand = Character(UnicodeScalar(next))
                    next += 1
                    given.append(demand)
                    effects = machine.partReceived("x", count: 1, demand: demand)
                case 2:
                    effects = machine.ended()
                case 3:
                    effects = machine.failed(Failure())
                case 4:
                    guard waiting.isEmpty else { continue }
                    waiter += 1
                    waiting.insert(waiter)
                    effects = machine.pulled(waiter)
                default:
                    effects = machine.cancelled()
                }
                rest /= 6
                if let demand = effects.demand { met.append(demand) }
                if let (told, _) = effects.waiter { #expect(waiting.remove(told) != nil) }
            }
            let effects = machine.cancelled()
            if let demand = effects.demand { met.append(demand) }
            if let (told, _) = effects.waiter { #expect(waiting.remove(told) != nil) }
            #expect(met == given, "order \(code)")
            #expect(waiting.isEmpty, "order \(code)")
        }
    }
}
