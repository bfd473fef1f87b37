// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import MetricsTestKit
import Testing
import WeirSource

@testable import Weir

@Suite("A library's figures for the program's metrics system")
struct LibraryMetricsTests {
    @Test("events are counted, and the state of the cache is a gauge")
    func counts() throws {
        let system = TestMetrics()
        let metrics = LibraryMetrics(factory: system)
        for event in [
            SourceEvent.requested(host: "a", range: nil), .received(byteCount: 7),
            .received(byteCount: 5), .cacheDegraded(reason: "Full."), .cacheDamaged(byteCount: 3),
            .retrying(
                resource: "a.mp3",
                offset: 1,
                after: .seconds(1),
                attempt: RequestAttempt(number: 2, limit: 6),
                reason: "Lost."
            ),
        ] { metrics.count(event) }
        #expect(try system.expectCounter("weir.origin.requests").totalValue == 1)
        #expect(try system.expectCounter("weir.origin.received.bytes").totalValue == 12)
        #expect(try system.expectCounter("weir.origin.retries").totalValue == 1)
        #expect(try system.expectCounter("weir.cache.degradations").totalValue == 1)
        #expect(try system.expectCounter("weir.cache.damaged.bytes").totalValue == 3)
        #expect(try system.expectGauge("weir.cache.degraded").lastValue == 1)
        metrics.count(.cacheRecovered)
        #expect(try system.expectGauge("weir.cache.degraded").lastValue == 0)
    }

    @Test("damage and evictions of the cache are counted, and so are their bytes")
    func losses() throws {
        let system = TestMetrics()
        let metrics = LibraryMetrics(factory: system)
        for event in [
            SourceEvent.cacheDamaged(byteCount: 3), .cacheDamaged(byteCount: 4),
            .cacheEvicted(resourceCount: 2, byteCount: 100),
            .cacheEvicted(resourceCount: 1, byteCount: 10),
        ] { metrics.count(event) }
        #expect(try system.expectCounter("weir.cache.damages").totalValue == 2)
        #expect(try system.expectCounter("weir.cache.damaged.bytes").totalValue == 7)
        #expect(try system.expectCounter("weir.cache.evictions").totalValue == 3)
        #expect(try system.expectCounter("weir.cache.evicted.bytes").totalValue == 110)
    }

    @Test("the waits for answers are recorded, if they are measured")
    func waits() throws {
        let system = TestMetrics()
        let metrics = LibraryMetrics(factory: system)
        metrics.count(.answered(host: "a", status: 200, after: .milliseconds(40)))
        metrics.count(.answered(host: "a", status: 200))
        metrics.count(.answered(host: "a", status: 404, after: .milliseconds(7)))
        #expect(
            try system.expectTimer("weir.origin.wait").values == [40_000_000, 7_000_000]
        )
    }
}
