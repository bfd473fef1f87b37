// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Testing

@testable import WeirProxy

@Suite("A client that has closed its sending half")
struct HalfClosedClientTests {
    private func time(_ milliseconds: UInt64) -> NIODeadline {
        .uptimeNanoseconds(milliseconds * 1_000_000)
    }

    @Test(
        "is left at once when its socket is known to be closed, and checked again while it is open"
    )
    func known() {
        var client = HalfClosedClient(sentBytes: 0, at: self.time(0))
        #expect(
            client.looked(.open, sentBytes: 0, at: self.time(0))
                == .milliseconds(20)
        )
        for second in 1..<100 as Range<UInt64> {
            let verdict = client.looked(.open, sentBytes: 0, at: self.time(second * 1000))
            #expect(
                verdict == .seconds(1),
                "it may wait for as long as it likes"
            )
        }
        #expect(client.looked(.left, sentBytes: 0, at: self.time(100_000)) == nil)
    }

    @Test(
        "whose socket state is unknown is served while bytes are sent, and for ten seconds after each"
    )
    func unknown() {
        var client = HalfClosedClient(sentBytes: 5, at: self.time(0))
        #expect(
            client.looked(.unknown, sentBytes: 5, at: self.time(0))
                == .milliseconds(20)
        )
        #expect(
            client.looked(.unknown, sentBytes: 5, at: self.time(9_000))
                == .seconds(1)
        )
        #expect(
            client.looked(.unknown, sentBytes: 6, at: self.time(10_000))
                == .seconds(1)
        )
        #expect(
            client.looked(.unknown, sentBytes: 6, at: self.time(19_999))
                == .seconds(1)
        )
        #expect(client.looked(.unknown, sentBytes: 6, at: self.time(20_000)) == nil)
    }
}
