// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirSource

@testable import WeirLoader

/// Event in, effect out: fetches whose readers leave before the origin has answered.
@Suite("A fetch without a reader before its response")
struct PlanLeavingTests {
    @Test("a fetch that its reader left before the response goes on if the response is wanted")
    func wantedByItsResponse() {
        var small = PlanScene()
        _ = small.reader(1, .whole)
        #expect(small.readerLeaves(1) == ["linger f1"])
        // The rest of a small resource of an origin without ranges is read to its end.
        #expect(small.opened(1, length: 50, ignoresRanges: true) == ["proceed f1"])
        #expect(small.lingered(1).isEmpty)

        var kept = PlanScene(LoadPolicy(prefetch: .whole))
        _ = kept.reader(1, .whole)
        #expect(kept.readerLeaves(1) == ["linger f1"])
        #expect(kept.opened(1, length: 50) == ["proceed f1"])
    }

    @Test("a fetch that its reader left before the response lingers again with the response")
    func lingersAgain() {
        var plan = PlanScene()
        _ = plan.reader(1, .whole)
        #expect(plan.readerLeaves(1) == ["linger f1"])
        #expect(plan.opened(1, length: 1000) == ["linger f1"])
        #expect(plan.lingered(1) == ["close f1"])
    }

    @Test("a fetch that was left and taken up before its response knows no version yet")
    func knowsNoVersion() {
        var plan = PlanScene()
        plan.cached(0..<2, length: 1000)
        #expect(plan.reader(1, .from(2)) == ["open f1 2..."])
        #expect(plan.readerLeaves(1) == ["linger f1"])
        #expect(plan.reader(2, .whole) == ["proceed f1"])
        let knewBefore = plan.knowsVersion(of: 2)
        #expect(!knewBefore)
        _ = plan.opened(1, at: 2, length: 1000)
        let knowsNow = plan.knowsVersion(of: 2)
        #expect(knowsNow)
    }
}
