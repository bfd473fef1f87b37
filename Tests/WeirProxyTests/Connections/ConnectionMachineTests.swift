// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirProxy

@Suite("The order of a connection's responses")
struct ConnectionMachineTests {
    private typealias Machine = ConnectionMachine<Int>

    private func describe(_ step: Machine.Step) -> String {
        switch step {
        case .serve(let request): "serve \(request)"
        case .wait: "wait"
        case .awaitRequest: "await"
        case .close(let isLingering): isLingering ? "linger" : "close"
        }
    }

    private func next(_ machine: inout Machine) -> String { self.describe(machine.next()) }

    @Test("requests are served one after the other")
    func order() {
        var machine = Machine()
        #expect(self.next(&machine) == "await")
        machine.requestReceived(1, followedBy: .requests)
        machine.requestReceived(2, followedBy: .requests)
        #expect(self.next(&machine) == "serve 1")
        #expect(!machine.isLast)
        #expect(self.next(&machine) == "wait")
        machine.responseEnded(closing: false)
        #expect(self.next(&machine) == "serve 2")
        machine.responseEnded(closing: false)
        #expect(self.next(&machine) == "await")
    }

    @Test("the request before the end of the input is the last one")
    func last() {
        var machine = Machine()
        machine.requestReceived(1, followedBy: .requests)
        machine.requestReceived(2, followedBy: .nothing)
        machine.requestReceived(3, followedBy: .requests)
        #expect(self.next(&machine) == "serve 1")
        #expect(!machine.isLast)
        machine.responseEnded(closing: false)
        #expect(self.next(&machine) == "serve 2")
        #expect(machine.isLast)
        machine.responseEnded(closing: true)
        #expect(self.next(&machine) == "linger", "the third was read and is not answered")
        #expect(self.next(&machine) == "wait")
    }

    @Test("a connection that is no longer wanted ends at once")
    func close() {
        var machine = Machine()
        machine.requestReceived(1, followedBy: .nothing)
        #expect(self.next(&machine) == "serve 1")
        #expect(!machine.wantsInput)
        machine.responseEnded(closing: true)
        #expect(self.next(&machine) == "close")
    }

    @Test("after bytes that are not a request the connection lingers")
    func linger() {
        var machine = Machine()
        machine.requestReceived(1, followedBy: .other)
        #expect(self.next(&machine) == "serve 1")
        #expect(!machine.wantsInput)
        machine.responseEnded(closing: true)
        #expect(self.next(&machine) == "linger")
        #expect(machine.wantsInput, "further bytes are read and dropped")
    }

    @Test("no input is read while enough requests wait, and the queue has a limit")
    func bounds() {
        var machine = Machine()
        machine.requestReceived(0, followedBy: .requests)
        #expect(self.next(&machine) == "serve 0")
        for request in 1..<Machine.queueLimit {
            machine.requestReceived(request, followedBy: .requests)
            #expect(machine.wantsInput)
        }
        machine.requestReceived(Machine.queueLimit, followedBy: .requests)
        #expect(!machine.wantsInput)
        for request in (Machine.queueLimit + 1)..<1000 {
            machine.requestReceived(request, followedBy: .requests)
        }
        var served = 0
        while true {
            machine.responseEnded(closing: false)
            guard self.next(&machine).hasPrefix("serve") else { break }
            served += 1
        }
        #expect(served == Machine.queueMaximum)
    }

    @Test("a response that closes the connection drops the waiting requests")
    func closingResponse() {
        var machine = Machine()
        machine.requestReceived(1, followedBy: .requests)
        machine.requestReceived(2, followedBy: .requests)
        #expect(self.next(&machine) == "serve 1")
        machine.responseEnded(closing: true)
        #expect(self.next(&machine) == "linger")
    }

    @Test("a proxy that stops finishes the current response, and serves no other")
    func stop() {
        var idle = Machine()
        idle.serverStopped()
        #expect(self.next(&idle) == "close")

        var busy = Machine()
        busy.requestReceived(1, followedBy: .requests)
        busy.requestReceived(2, followedBy: .requests)
        #expect(self.next(&busy) == "serve 1")
        busy.serverStopped()
        #expect(self.next(&busy) == "wait")
        busy.responseEnded(closing: false)
        #expect(self.next(&busy) == "close")
    }

    @Test("a client that closes its sending half gets its answers, and then the connection ends")
    func inputClosed() {
        var idle = Machine()
        idle.inputClosed()
        #expect(self.next(&idle) == "close")

        var busy = Machine()
        busy.requestReceived(1, followedBy: .requests)
        busy.requestReceived(2, followedBy: .requests)
        #expect(self.next(&busy) == "serve 1")
        busy.inputClosed()
        #expect(self.next(&busy) == "wait")
        #expect(!busy.isLast)
        busy.responseEnded(closing: false)
        #expect(self.next(&busy) == "serve 2")
        #expect(busy.isLast)
        busy.responseEnded(closing: true)
        #expect(self.next(&busy) == "close")

        var refused = Machine()
        refused.requestReceived(1, followedBy: .other)
        #expect(self.next(&refused) == "serve 1")
        refused.inputClosed()
        refused.responseEnded(closing: true)
        #expect(self.next(&refused) == "close", "nothing comes that could be dropped")
    }
}
