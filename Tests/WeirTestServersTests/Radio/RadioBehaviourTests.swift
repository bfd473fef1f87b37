// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import WeirTestServers

@Suite("The written form of a station's behaviour")
struct RadioBehaviourTests {
    @Test(
        "is read and written",
        arguments: [
            "plain", "plain*2", "icy", "http11", "chunked", "icy+lf+tight", "loose+latin1",
            "metaint=0", "metaint=65536", "portions=1/7/3", "page*2", "half-head", "status=404",
            "status=503/20", "redirect", "redirect=5.0", "redirect=5.0/1", "redirect=/1",
            "garbage=102400", "close=3.0", "cut=65536", "stall=65536", "stall=65536/5.0",
            "change=100000", "refuse=2.5", "icy+metaint=255+stall=100*3",
        ]
    )
    func roundTrips(_ text: String) throws {
        let behaviour = try #require(RadioBehaviour(text))
        #expect(behaviour.description == text)
        let json = try JSONEncoder().encode([behaviour])
        #expect(try JSONDecoder().decode([RadioBehaviour].self, from: json) == [behaviour])
    }

    @Test(
        "is refused where it has no meaning",
        arguments: [
            "", "+", "nope", "icy=1", "metaint", "metaint=", "metaint=x", "metaint=-1",
            "metaint=1/2",
            "portions=0", "portions=1/x", "portions=1/", "status=99", "status=1000", "garbage=1e30",
            "cut=nan", "stall=1/2/3", "plain+icy", "icy*0", "icy*x", "redirect=1/2/3", "close=inf",
        ]
    )
    func refuses(_ text: String) {
        #expect(RadioBehaviour(text) == nil)
    }

    @Test("describes every quirk")
    func summaries() {
        for summary in RadioQuirk.summaries {
            let name = summary.prefix { $0 != ":" && $0 != "=" && $0 != "[" }
            let isKnown = ["", "=1", "=404", "=1/2"].contains { RadioQuirk(name + $0) != nil }
            #expect(isKnown, "\(name)")
        }
    }
}
