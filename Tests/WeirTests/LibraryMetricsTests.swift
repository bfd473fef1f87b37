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
            .retrying(offset: 1, after: .seconds(1), reason: "Lost."),
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
}
