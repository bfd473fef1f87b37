// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirPlayback

@Suite("The length of the buffer")
struct BufferPolicyTests {
    @Test(
        "is one second at first, then two, and four and eight after further underruns within half a minute"
    )
    func doubles() {
        var policy = BufferPolicy()
        #expect(policy.target == 1)
        var targets: [Double] = []
        for second in [0, 10, 30, 59, 80] {
            policy.ranDry(at: .seconds(second))
            targets.append(policy.target)
        }
        #expect(targets == [2, 4, 8, 8, 8])
    }

    @Test("is halved after each minute without an underrun, down to two seconds")
    func decays() {
        var policy = BufferPolicy()
        for second in [0, 10, 20, 30] { policy.ranDry(at: .seconds(second)) }
        #expect(policy.target == 8)
        policy.ranDry(at: .seconds(30 + 45))
        #expect(policy.target == 8)
        policy.ranDry(at: .seconds(75 + 61))
        #expect(policy.target == 4)
        policy.ranDry(at: .seconds(136 + 3600))
        #expect(policy.target == 2)
    }

    @Test("is zero for a sink that is not paced")
    func immediate() {
        var policy = BufferPolicy.immediate
        #expect(policy.target == 0)
        policy.ranDry(at: .zero)
        policy.ranDry(at: .seconds(1))
        #expect(policy.target == 0)
    }
}
