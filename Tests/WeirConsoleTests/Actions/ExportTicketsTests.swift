// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource
import WeirTestKit

@testable import WeirConsole

@Suite("Tickets for downloads")
struct ExportTicketsTests {
    private let clock = ManualClock()
    private let tickets: ExportTickets

    init() {
        self.tickets = ExportTickets(Timeline(self.clock))
    }

    @Test("a ticket is valid once, for its resource")
    func once() throws {
        let first = try #require(self.tickets.issue(for: "one"))
        let second = try #require(self.tickets.issue(for: "two"))
        #expect(first != second && first.count >= 32)
        #expect(self.tickets.redeem("\(first)x") == nil)
        #expect(self.tickets.redeem("") == nil)
        #expect(self.tickets.redeem(second) == "two")
        #expect(self.tickets.redeem(second) == nil)
        #expect(self.tickets.redeem(first) == "one")
    }

    @Test("a ticket is valid for a minute")
    func lifetime() throws {
        let first = try #require(self.tickets.issue(for: "one"))
        let second = try #require(self.tickets.issue(for: "two"))
        self.clock.advance(by: .seconds(60) - .nanoseconds(1))
        #expect(self.tickets.redeem(first) == "one")
        self.clock.advance(by: .nanoseconds(1))
        #expect(self.tickets.redeem(second) == nil)
    }

    @Test("64 tickets are valid at a time, and used or old ones make room")
    func capacity() throws {
        var all: [String] = []
        for number in 0..<64 { all.append(try #require(self.tickets.issue(for: "\(number)"))) }
        #expect(self.tickets.issue(for: "more") == nil)
        #expect(self.tickets.redeem(all[9]) == "9")
        #expect(self.tickets.issue(for: "more") != nil)
        #expect(self.tickets.issue(for: "even more") == nil)
        self.clock.advance(by: .seconds(60))
        for _ in 0..<64 { #expect(self.tickets.issue(for: "later") != nil) }
        #expect(self.tickets.issue(for: "more") == nil)
        #expect(self.tickets.redeem(all[0]) == nil)
    }
}
