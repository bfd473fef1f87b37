// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Testing
import WeirProxy
import WeirSource

@testable import WeirConsole

@Suite("The outcomes of requests as metrics")
struct OutcomeTests {
    private typealias Outcome = ProxyMetrics.Outcome

    private static func record(
        _ status: Int?,
        _ content: ProxyRequestRecord.Content = .none,
        isAborted: Bool = false,
        failure: String? = nil,
        bytes: Int64 = 0,
        firstByte: Int64? = nil
    ) -> ProxyRequestRecord {
        ProxyRequestRecord(
            method: "GET",
            target: "/a",
            range: nil,
            status: status,
            sentByteCount: bytes,
            nanoseconds: 10,
            isAborted: isAborted,
            failure: failure,
            id: ConnectionRequestID(connection: 1, request: 1),
            content: content,
            firstByteNanoseconds: firstByte
        )
    }

    @Test("an underrun in the middle of a response is counted at once")
    func underrun() {
        let registry = PrometheusRegistry()
        let metrics = ProxyMetrics(factory: registry)
        metrics.countUnderrun()
        #expect(registry.sum(of: "weir_underruns_total") == 1)
        #expect(registry.sum(of: "weir_requests_total") == 0)
    }

    @Test("a whole response is a hit or a miss, depending on the source of its bytes")
    func whole() {
        for status in [200, 206] {
            #expect(Outcome(Self.record(status, .held)) == .hit)
            #expect(Outcome(Self.record(status, .fetched)) == .miss)
        }
    }

    @Test("a response without bytes of a resource is empty", arguments: [200, 204, 304])
    func empty(status: Int) {
        #expect(Outcome(Self.record(status)) == .empty)
    }

    @Test("a stream counts as a stream, unless it failed")
    func stream() {
        #expect(Outcome(Self.record(200, .stream)) == .stream)
        #expect(Outcome(Self.record(200, .stream, isAborted: true)) == .stream)
        #expect(Outcome(Self.record(200, .stream, isAborted: true, failure: "Lost.")) == .failed)
    }

    @Test(
        "a refused request counts as refused, whatever the reason",
        arguments: [400, 401, 404, 405, 416, 421, 499]
    )
    func refused(status: Int) {
        #expect(Outcome(Self.record(status)) == .refused)
        #expect(Outcome(Self.record(status, failure: "There is no such file.")) == .refused)
        #expect(Outcome(Self.record(status, isAborted: true)) == .refused)
    }

    @Test("a failed request counts as failed, before its head or after it")
    func failed() {
        for status in [500, 502, 503, 504, 599] {
            #expect(Outcome(Self.record(status)) == .failed)
            #expect(Outcome(Self.record(status, .held, isAborted: true)) == .failed)
        }
        #expect(Outcome(Self.record(206, .fetched, isAborted: true, failure: "Lost.")) == .failed)
        #expect(Outcome(Self.record(nil, isAborted: true, failure: "Lost.")) == .failed)
    }

    @Test("a player that leaves before the end counts as left, whatever it received")
    func left() {
        for content in [.held, .fetched, .none] as [ProxyRequestRecord.Content] {
            #expect(Outcome(Self.record(206, content, isAborted: true)) == .left)
            #expect(Outcome(Self.record(nil, content, isAborted: true)) == .left)
        }
    }

    @Test("every kind of record has one outcome, and each outcome counts alone")
    func everyKind() {
        let registry = PrometheusRegistry()
        let metrics = ProxyMetrics(factory: registry)
        var expected: [Outcome: Int64] = [:]
        for status in [nil, 200, 204, 206, 304, 404, 416, 500, 502] as [Int?] {
            for content in [.none, .held, .fetched, .stream] as [ProxyRequestRecord.Content] {
                for isAborted in [false, true] {
                    for failure in [nil, "Lost."] as [String?] {
                        let record = Self.record(
                            status,
                            content,
                            isAborted: isAborted,
                            failure: failure
                        )
                        metrics.count(record)
                        expected[Outcome(record), default: 0] += 1
                    }
                }
            }
        }
        #expect(Set(expected.keys) == Set(Outcome.allCases))
        for outcome in Outcome.allCases {
            let labels = "outcome=\"\(outcome)\""
            #expect(
                registry.sum(of: "weir_requests_total", where: labels) == expected[outcome],
                "\(outcome)"
            )
        }
        #expect(registry.sum(of: "weir_requests_total") == 9 * 4 * 2 * 2)
    }

    @Test("bytes are summed, and waits for the first byte are sorted into buckets")
    func amounts() {
        let registry = PrometheusRegistry()
        let metrics = ProxyMetrics(factory: registry)
        metrics.count(Self.record(206, .held, bytes: 100, firstByte: 2_000_000))
        metrics.count(Self.record(206, .fetched, bytes: 11, firstByte: 400_000_000))
        metrics.count(Self.record(304))
        let lines = registry.text.split(separator: "\n")
        #expect(lines.contains("weir_served_bytes_total 111"))
        #expect(lines.contains("weir_request_first_byte_seconds_count 2"))
        #expect(lines.contains("weir_request_first_byte_seconds_bucket{le=\"0.005\"} 1"))
        #expect(lines.contains("weir_request_first_byte_seconds_bucket{le=\"0.5\"} 2"))
        #expect(lines.contains("weir_request_first_byte_seconds_sum 0.402"))
    }
}
