// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Metrics
import Testing

@testable import WeirConsole

@Suite("The text of the metrics")
struct PrometheusTests {
    private let registry = PrometheusRegistry()

    private var lines: [Substring] { self.registry.text.split(separator: "\n") }

    @Test("a counter has its name, its help and its count")
    func counter() {
        let counter = Counter(label: "weir.origin.received.bytes", factory: self.registry)
        counter.increment(by: 5)
        counter.increment(by: 7)
        #expect(
            self.lines == [
                "# HELP weir_origin_received_bytes_total Body bytes that were received from origins.",
                "# TYPE weir_origin_received_bytes_total counter",
                "weir_origin_received_bytes_total 12",
            ]
        )
        #expect(self.registry.sum(of: "weir_origin_received_bytes_total") == 12)
    }

    @Test("the same label and dimensions are one series, others another, and a sum covers all")
    func series() {
        for (outcome, count) in [("hit", 3), ("miss", 4), ("hit", 1)] {
            Counter(
                label: "weir.requests",
                dimensions: [("outcome", outcome)],
                factory: self.registry
            ).increment(by: count)
        }
        #expect(self.lines.contains("weir_requests_total{outcome=\"hit\"} 4"))
        #expect(self.lines.contains("weir_requests_total{outcome=\"miss\"} 4"))
        #expect(self.registry.sum(of: "weir_requests_total") == 8)
        #expect(self.registry.sum(of: "weir_requests_total", where: "outcome=\"hit\"") == 4)
        #expect(self.registry.sum(of: "weir_nothing_total") == 0)
    }

    @Test("a dimension from outside cannot end its line or its quotes")
    func escaping() {
        let name = "a\"b\\c\nd\u{85}"
        Meter(
            label: "weir.radio.listeners",
            dimensions: [("station", name)],
            factory: self.registry
        )
        .set(2)
        #expect(
            self.registry.text.split(separator: "\n").last
                == "weir_radio_listeners{station=\"a\\\"b\\\\c\\nd\u{85}\"} 2"
        )
    }

    @Test("a timer is a histogram in seconds, whose buckets count all values below their bounds")
    func histogram() {
        let timer = Timer(label: "weir.origin.wait", factory: self.registry)
        for milliseconds in [1, 2, 30, 70_000] { timer.recordMilliseconds(Int64(milliseconds)) }
        #expect(self.lines.contains("weir_origin_wait_seconds_bucket{le=\"0.001\"} 1"))
        #expect(self.lines.contains("weir_origin_wait_seconds_bucket{le=\"0.005\"} 2"))
        #expect(self.lines.contains("weir_origin_wait_seconds_bucket{le=\"0.05\"} 3"))
        #expect(self.lines.contains("weir_origin_wait_seconds_bucket{le=\"60\"} 3"))
        #expect(self.lines.contains("weir_origin_wait_seconds_bucket{le=\"+Inf\"} 4"))
        #expect(self.lines.contains("weir_origin_wait_seconds_sum 70.033"))
        #expect(self.lines.contains("weir_origin_wait_seconds_count 4"))
    }

    @Test("more sets of dimensions than the limit do not grow the text")
    func bounds() {
        for index in 0..<PrometheusRegistry.seriesLimit + 10 {
            Counter(label: "a", dimensions: [("n", "\(index)")], factory: self.registry).increment()
        }
        #expect(self.lines.count == PrometheusRegistry.seriesLimit + 1)
    }

    @Test("every outcome of a request is one metric", arguments: ProxyMetrics.Outcome.allCases)
    func outcomes(_ outcome: ProxyMetrics.Outcome) {
        _ = ProxyMetrics(factory: self.registry)
        #expect(
            self.lines.contains("weir_requests_total{outcome=\"\(outcome)\"} 0")
        )
    }
}
