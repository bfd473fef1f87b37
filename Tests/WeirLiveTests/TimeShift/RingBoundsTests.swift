// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirAudio
import WeirTestKit

@testable import WeirLive

@Suite("The bounds of a ring")
struct RingBoundsTests {
    @Test("keeps no more of a server's headers and titles than its geometry allows")
    func longHeads() {
        var geometry = TimeShiftRingTests.geometry
        geometry.eventBytes = 64 << 10
        let ring = TimeShiftRingTests.ring(geometry: geometry)
        let name = String(repeating: "x", count: 16 << 10)
        for number in 0..<20 {
            let headers = ICYHeaders([("icy-name", name + "\(number)")])
            ring.begin(
                StreamStretch(
                    cause: .reconnected(nil),
                    info: StationInfo(headers: headers, mediaType: nil, display: ""),
                    container: .mpegAudio
                )
            )
            TimeShiftRingTests.fill(ring, to: ring.end + 100)
        }
        // The ring may keep three of these heads, and the bytes behind them.
        #expect(ring.oldest >= 1600)
        let name19 = ring.joint(forTime: .seconds(1 << 40)).stretch?.info.headers.name
        #expect(name19?.hasSuffix("x19") == true)
    }
}
