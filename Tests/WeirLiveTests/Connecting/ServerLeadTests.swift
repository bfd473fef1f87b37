// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirLive

@Suite("How far a server is ahead of real time")
struct ServerLeadTests {
    private static let limits = ServerLead.Limits(duration: .seconds(60), byteCount: 1 << 20)

    @Test("is the received sound minus the elapsed time, and is never negative")
    func level() {
        var lead = ServerLead()
        lead.came(.seconds(30), byteCount: 30_000, now: .seconds(100))
        #expect(lead.duration == .seconds(30))
        lead.came(.seconds(5), byteCount: 5000, now: .seconds(110))
        #expect(lead.duration == .seconds(25))
        #expect(abs(lead.byteCount - 25_000) < 1)
        lead.came(.seconds(5), byteCount: 5000, now: .seconds(200))
        #expect(lead.duration == .seconds(5))
        #expect(abs(lead.byteCount - 5000) < 1)
    }

    @Test("makes the station wait for the excess over the limits, in time or in bytes")
    func waiting() {
        var lead = ServerLead()
        lead.came(.seconds(60), byteCount: 1 << 20, now: .zero)
        let none = lead.wait(Self.limits, now: .zero)
        #expect(none == .zero)
        lead.came(.seconds(20), byteCount: 1000, now: .zero)
        let late = lead.wait(Self.limits, now: .seconds(5))
        #expect(late == .seconds(15))
        var heavy = ServerLead()
        heavy.came(.seconds(10), byteCount: 4 << 20, now: .zero)
        let bytes = heavy.wait(Self.limits, now: .zero)
        #expect(bytes == .seconds(7.5))
    }
}
