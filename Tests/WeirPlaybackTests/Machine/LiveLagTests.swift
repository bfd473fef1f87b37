// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import WeirPlayback

@Suite("How late a station may be heard")
struct LiveLagTests {
    @Test("is ten seconds more than at its beginning")
    func beginning() {
        var lag = LiveLag(after: .seconds(100))
        let is1 = lag.isTooMuch(.seconds(60), heard: .seconds(100), isPaused: false)
        #expect(!is1)
        let is2 = lag.isTooMuch(.seconds(61), heard: .seconds(100.9), isPaused: false)
        #expect(!is2)
        let is3 = lag.isTooMuch(.seconds(71), heard: .seconds(101), isPaused: false)
        #expect(!is3)
        let is4 = lag.isTooMuch(.seconds(71.1), heard: .seconds(200), isPaused: false)
        #expect(is4)
        #expect(lag.chosen == .seconds(61))
    }

    @Test("is what a pause made it, and ten seconds more")
    func pause() {
        var lag = LiveLag(after: .zero)
        let is5 = lag.isTooMuch(.seconds(2), heard: .zero, isPaused: false)
        #expect(!is5)
        let is6 = lag.isTooMuch(.seconds(300), heard: .seconds(5), isPaused: true)
        #expect(!is6)
        let is7 = lag.isTooMuch(.seconds(310), heard: .seconds(6), isPaused: false)
        #expect(!is7)
        let is8 = lag.isTooMuch(.seconds(311), heard: .seconds(6), isPaused: false)
        #expect(is8)
        // A later and shorter one takes nothing away.
        let is9 = lag.isTooMuch(.seconds(305), heard: .seconds(7), isPaused: true)
        #expect(!is9)
        let is10 = lag.isTooMuch(.seconds(200), heard: .seconds(8), isPaused: true)
        #expect(!is10)
        #expect(lag.chosen == .seconds(305))
    }
}
