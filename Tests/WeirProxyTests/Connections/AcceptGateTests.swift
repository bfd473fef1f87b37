// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import WeirProxy

@Suite("Accepting without free descriptors")
struct AcceptGateTests {
    @Test(
        "pauses, longer each time, counts each pause once, and continues on a closed connection or in time"
    )
    func pauses() {
        var gate = AcceptGate()
        #expect(gate.reopened() == false)
        #expect(gate.failed() == .milliseconds(50))
        #expect(gate.pauseCount == 1)
        #expect(gate.failed() == nil, "it pauses already")
        #expect(gate.isPaused)
        #expect(gate.reopened() == true)
        #expect(gate.reopened() == false, "it has gone on already")
        var times: [TimeAmount] = []
        for _ in 0..<7 {
            times.append(gate.failed() ?? .zero)
            #expect(gate.pauseCount == times.count + 1)
            #expect(gate.reopened() == true)
        }
        #expect(times == [100, 200, 400, 800, 1600, 2000, 2000].map { .milliseconds($0) })
        gate.accepted()
        #expect(gate.failed() == .milliseconds(50))
        #expect(gate.pauseCount == 9)
    }

    @Test(
        "the last descriptors stay reserved: an eighth, sixteen at most",
        arguments: [(8, 7), (64, 56), (128, 112), (256, 240), (1024, 1008), (1_048_576, 1_048_560)]
            as [(UInt64, CInt)]
    )
    func reserve(limit: UInt64, first: CInt) {
        let reserve = DescriptorReserve(limit: limit)
        #expect(!reserve.holds(first - 1))
        #expect(reserve.holds(first))
        #expect(!DescriptorReserve(limit: .max).holds(1_000_000_000))
    }
}
