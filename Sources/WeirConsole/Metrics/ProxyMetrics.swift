// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import CoreMetrics
import Metrics
package import WeirProxy

/// Reports the requests of players and their outcomes to the program's metrics system.
///
/// | label | kind | meaning |
/// |---|---|---|
/// | `weir.requests` | counter | requests that have ended, by `outcome` |
/// | `weir.served.bytes` | counter | bytes of resources that were handed to the system |
/// | `weir.request.first.byte` | timer | time from a request's head to a resource's first byte |
/// | `weir.underruns` | counter | waits of two seconds for bytes in the middle of an answer |
/// | `weir.limited` | counter | times that a limit made a client wait, or kept it out, by `limit` |
package struct ProxyMetrics: Sendable {
    /// How a request ended.
    package enum Outcome: Int, CaseIterable, Sendable {
        /// Answered completely, with bytes that were all held before the request came.
        case hit
        /// Answered completely, with bytes of which some had to be fetched or made.
        case miss
        /// Answered with an endless stream, such as a radio station, whatever ended the answer.
        case stream
        /// Answered without a body of a resource: HEAD, 304, OPTIONS, `/healthz`.
        case empty
        /// Refused: 4xx.
        case refused
        /// Not answered, or not completely, because of a failure: 5xx, or an answer that was cut
        /// short.
        case failed
        /// The client left before the end.
        case left

        /// The value of the metric's dimension.
        ///
        /// The text of the case itself would be looked up at run time, by four scans of all
        /// conformances in the program.
        fileprivate var label: String {
            switch self {
            case .hit: "hit"
            case .miss: "miss"
            case .stream: "stream"
            case .empty: "empty"
            case .refused: "refused"
            case .failed: "failed"
            case .left: "left"
            }
        }

        /// The outcome of a request.
        package init(_ record: borrowing ProxyRequestRecord) {
            let status = record.status ?? 0
            self =
                if status >= 500 || record.failure != nil && status < 400 {
                    .failed
                } else if status >= 400 {
                    .refused
                } else if record.content == .stream {
                    .stream
                } else if record.isAborted {
                    .left
                } else {
                    switch record.content {
                    case .held: .hit
                    case .fetched: .miss
                    case .none, .stream: .empty
                    }
                }
        }
    }

    /// The counters in the order of all outcomes.
    private let outcomes: [Counter]
    private let servedBytes: Counter
    private let firstByte: Timer
    private let underruns: Counter
    private let limits: [ProxyLimit: Counter]

    /// Creates the metrics.
    ///
    /// - Parameter factory: the metrics system.
    package init(factory: any MetricsFactory = MetricsSystem.factory) {
        self.outcomes = Outcome.allCases.map { outcome in
            Counter(
                label: "weir.requests",
                dimensions: [("outcome", outcome.label)],
                factory: factory
            )
        }
        self.servedBytes = Counter(label: "weir.served.bytes", factory: factory)
        self.firstByte = Timer(label: "weir.request.first.byte", factory: factory)
        self.underruns = Counter(label: "weir.underruns", factory: factory)
        let limits = ProxyLimit.allCases.map { limit in
            (
                limit,
                Counter(
                    label: "weir.limited",
                    dimensions: [("limit", limit.rawValue)],
                    factory: factory
                )
            )
        }
        self.limits = Dictionary(uniqueKeysWithValues: limits)
    }

    /// Counts a player's wait in the middle of its answer.
    package func countUnderrun() { self.underruns.increment() }

    /// Counts a limit that held a client back.
    package func count(_ limit: ProxyLimit) { self.limits[limit]?.increment() }

    /// Counts a request that has ended.
    package func count(_ record: ProxyRequestRecord) {
        self.outcomes[Outcome(record).rawValue].increment()
        // A sentence instead of a resource does not count as served.
        guard record.content != .none else { return }
        self.servedBytes.increment(by: record.sentByteCount)
        if let wait = record.firstByteNanoseconds { self.firstByte.recordNanoseconds(wait) }
    }
}
