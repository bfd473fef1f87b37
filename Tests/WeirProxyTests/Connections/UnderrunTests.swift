// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing
import WeirSource

@testable import WeirProxy

@Suite("A player that gets no bytes in the middle of its answer")
struct UnderrunTests {
    private let exchange = Exchange(
        .refused(.notFound),
        id: ConnectionRequestID(connection: 1, request: 1),
        at: .uptimeNanoseconds(0)
    )

    private static func second(_ count: Double) -> NIODeadline {
        .uptimeNanoseconds(UInt64(count * 1e9))
    }

    @Test("counts as waiting after two seconds")
    func wait() {
        for (end, isTold) in [(5.0, false), (6.9, false), (7.0, true), (60.0, true)] {
            self.exchange.wait(from: Self.second(5))
            #expect(self.exchange.endWait(at: Self.second(end)) == isTold)
        }
    }

    @Test("does not count before the first bytes, or while it has not yet read the last sent bytes")
    func noWait() {
        #expect(!self.exchange.endWait(at: Self.second(60)))
        self.exchange.wait(from: Self.second(61))
        #expect(!self.exchange.endWait(at: Self.second(62)))
        #expect(!self.exchange.endWait(at: Self.second(90)))
    }
}
