// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import WeirProxy

@Suite("The claim of a connection slot")
struct SlotClaimTests {
    private static func time(_ seconds: UInt64) -> NIODeadline {
        .uptimeNanoseconds(seconds * 1_000_000_000)
    }

    private func claim() -> SlotClaim {
        let arrival = ConnectionSlots.Arrival(
            id: ConnectionSlots.ConnectionID(rawValue: 1),
            hasSlot: true,
            displaced: nil
        )
        return SlotClaim(arrival, at: Self.time(0))
    }

    @Test("a client loses its slot when its acknowledged bytes have not changed for the stall time")
    func acknowledged() {
        let checks: [(seconds: UInt64, count: UInt64)] = [
            (4, 10), (5, 10), (6, 10), (7, 11), (8, 11),
        ]
        var claim = self.claim()
        #expect(claim.activity.activity == .new(since: Self.time(0)))
        claim.stalled(since: Self.time(1))
        var answers: [Bool] = []
        for check in checks {
            let now = Self.time(check.seconds)
            answers.append(
                claim.takesNothing(at: now, acknowledged: check.count, for: .seconds(2))
            )
        }
        #expect(answers == [false, false, true, false, false])
        #expect(claim.activity.activity == .stalled(since: Self.time(7)))
    }

    @Test("without a count of acknowledged bytes, the time since the stall decides")
    func unknown() {
        var claim = self.claim()
        claim.stalled(since: Self.time(1))
        let early = claim.takesNothing(at: Self.time(2), acknowledged: nil, for: .seconds(2))
        let late = claim.takesNothing(at: Self.time(3), acknowledged: nil, for: .seconds(2))
        #expect(!early)
        #expect(late)
    }

    @Test("a client that has caught up keeps its slot, and an outdated activity is corrected")
    func caughtUp() {
        var claim = self.claim()
        claim.stalled(since: Self.time(1))
        claim.caughtUp()
        #expect(!claim.isStalled)
        claim.activity.store(.stalled(since: Self.time(1)))
        let takesNothing = claim.takesNothing(at: Self.time(9), acknowledged: nil, for: .seconds(2))
        #expect(!takesNothing)
        #expect(claim.activity.activity == .served)
    }
}
