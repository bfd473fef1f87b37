// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import CoreMetrics
import Synchronization

/// A backend of swift-metrics that keeps every metric in memory, and gives all of them as a text
/// for Prometheus.
///
/// A label `weir.origin.received.bytes` of a counter becomes `weir_origin_received_bytes_total`. A
/// label of a timer becomes `…_seconds`, a histogram. The text is version 0.0.4 of the exposition
/// format. At most ``seriesLimit`` series of a metric are kept; the counts of further series are
/// not in the text.
package final class PrometheusRegistry: MetricsFactory, Sendable {
    /// The most sets of dimensions of a metric.
    static let seriesLimit = 1000

    private struct Family {
        let kind: MetricKind
        /// The series, by their dimensions as written in the text.
        var series: [String: any MetricSeries] = [:]
    }

    private let families = Mutex<[String: Family]>([:])

    /// Creates a registry without metrics.
    package init() {}

    /// The current metrics, in the order of their names.
    package var text: String {
        var lines: [String] = []
        let families = self.families.withLock { $0 }
        for (name, family) in families.sorted(by: { $0.key < $1.key }) {
            if let description = MetricDescription.all[name] {
                lines.append("# HELP \(name) \(description)")
            }
            lines.append("# TYPE \(name) \(family.kind.rawValue)")
            for (labels, series) in family.series.sorted(by: { $0.key < $1.key }) {
                lines += series.lines(name, labels)
            }
        }
        return lines.map { "\($0)\n" }.joined()
    }

    /// The names of all metrics.
    package var names: [String] { self.families.withLock { $0.keys.sorted() } }

    /// Sums a counter over its series.
    ///
    /// - Parameters:
    ///   - name: the name in the text.
    ///   - labels: a part of the dimensions, as `outcome="hit"`; `nil` for all.
    /// - Returns: the sum; 0 if there is no such counter.
    package func sum(of name: String, where labels: String? = nil) -> Int64 {
        let series = self.families.withLock { $0[name]?.series ?? [:] }
        return series.reduce(0) { sum, element in
            guard labels.map({ element.key.contains($0) }) ?? true else { return sum }
            return sum &+ ((element.value as? Count)?.value ?? 0)
        }
    }

    /// Replaces all series of a metric whose values come from elsewhere.
    ///
    /// - Parameters:
    ///   - label: the label of the metric.
    ///   - isCounter: whether the metric is a counter; otherwise it is a gauge.
    ///   - values: the value of each series, with its dimensions.
    func replace(
        _ label: String,
        isCounter: Bool,
        with values: [(dimensions: [(String, String)], value: Int64)]
    ) {
        let kind = isCounter ? MetricKind.counter : .gauge
        var family = Family(kind: kind)
        for (dimensions, value) in values.prefix(Self.seriesLimit) {
            let count = Count()
            count.set(value)
            family.series[Self.labels(dimensions)] = count
        }
        self.families.withLock { $0[kind.name(of: label)] = values.isEmpty ? nil : family }
    }

    package func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
        self.series(label, .counter, dimensions, make: Count.init)
    }

    package func makeMeter(label: String, dimensions: [(String, String)]) -> any MeterHandler {
        self.series(label, .gauge, dimensions, make: GaugeValue.init)
    }

    package func makeRecorder(
        label: String,
        dimensions: [(String, String)],
        aggregate: Bool
    ) -> any RecorderHandler {
        self.series(label, .gauge, dimensions, make: GaugeValue.init)
    }

    package func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
        self.series(label, .histogram, dimensions, make: Histogram.init)
    }

    // A series stays: its counts outlive the counter that made them.
    package func destroyCounter(_ handler: any CounterHandler) {}
    package func destroyRecorder(_ handler: any RecorderHandler) {}
    package func destroyMeter(_ handler: any MeterHandler) {}
    package func destroyTimer(_ handler: any TimerHandler) {}

    private func series<Series: MetricSeries>(
        _ label: String,
        _ kind: MetricKind,
        _ dimensions: [(String, String)],
        make: () -> Series
    ) -> Series {
        let labels = Self.labels(dimensions)
        return self.families.withLock { families in
            var family = families[kind.name(of: label)] ?? Family(kind: kind)
            if let known = family.series[labels] as? Series { return known }
            let series = make()
            guard family.series.count < Self.seriesLimit else { return series }
            family.series[labels] = series
            families[kind.name(of: label)] = family
            return series
        }
    }

    /// The dimensions as written between the braces.
    private static func labels(_ dimensions: [(String, String)]) -> String {
        dimensions.map { "\(MetricKind.identifier($0.0))=\"\(Self.escaped($0.1))\"" }
            .joined(separator: ",")
    }

    /// Escapes by scalars: a quotation mark ends a value, even with a combining mark behind it.
    private static func escaped(_ value: String) -> String {
        value.unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar {
            case "\\": text += "\\\\"
            case "\"": text += "\\\""
            case "\n", "\r": text += "\\n"
            default: text.unicodeScalars.append(scalar)
            }
        }
    }
}

/// The kind of a metric, by Prometheus' conventions for names.
enum MetricKind: String, Sendable {
    case counter
    case gauge
    case histogram

    /// The name of a metric with a label of swift-metrics.
    func name(of label: String) -> String {
        let name = Self.identifier(label)
        return switch self {
        case .counter: "\(name)_total"
        case .gauge: name
        case .histogram: "\(name)_seconds"
        }
    }

    /// The text with every byte but ASCII letters and digits replaced by an underscore.
    static func identifier(_ text: String) -> String {
        let bytes = text.utf8.map { Self.isLetterOrDigit($0) ? $0 : UInt8(ascii: "_") }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }
}

/// One metric with one set of dimensions.
private protocol MetricSeries: AnyObject, Sendable {
    /// The lines of the series in the text.
    func lines(_ name: String, _ labels: String) -> [String]
}

/// A count.
private final class Count: CounterHandler, MetricSeries {
    private let count = Atomic<Int64>(0)

    var value: Int64 { self.count.load(ordering: .relaxed) }

    func increment(by amount: Int64) {
        self.count.wrappingAdd(amount, ordering: .relaxed)
    }

    func set(_ value: Int64) { self.count.store(value, ordering: .relaxed) }

    func reset() { self.set(0) }

    func lines(_ name: String, _ labels: String) -> [String] {
        ["\(name)\(labels.braced) \(self.value)"]
    }
}

/// A value that goes up and down.
private final class GaugeValue: MeterHandler, RecorderHandler, MetricSeries {
    private let value = Mutex(0.0)

    func set(_ value: Int64) { self.set(Double(value)) }

    func set(_ value: Double) { self.value.withLock { $0 = value } }

    func increment(by amount: Double) { self.value.withLock { $0 += amount } }

    func decrement(by amount: Double) { self.value.withLock { $0 -= amount } }

    func record(_ value: Int64) { self.set(value) }

    func record(_ value: Double) { self.set(value) }

    func lines(_ name: String, _ labels: String) -> [String] {
        ["\(name)\(labels.braced) \(self.value.withLock { $0 }.metricText)"]
    }
}

/// A histogram of durations.
private final class Histogram: TimerHandler, MetricSeries {
    /// The upper bounds of the buckets, in nanoseconds: a millisecond to a minute, the waits that
    /// players notice.
    private static let bounds: [Int64] =
        [1, 5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 60_000].map { $0 * 1_000_000 }

    private struct State {
        /// The number of durations in each bucket; the last bucket is beyond all bounds.
        var counts = [Int64](repeating: 0, count: bounds.count + 1)
        var sum: Int64 = 0
    }

    private let state = Mutex(State())

    func recordNanoseconds(_ duration: Int64) {
        let bucket = Self.bounds.firstIndex { duration <= $0 } ?? Self.bounds.count
        self.state.withLock { state in
            state.counts[bucket] += 1
            state.sum &+= max(0, duration)
        }
    }

    func lines(_ name: String, _ labels: String) -> [String] {
        let state = self.state.withLock { $0 }
        let prefix = labels.isEmpty ? "" : "\(labels),"
        var total: Int64 = 0
        var lines: [String] = []
        for (index, count) in state.counts.enumerated() {
            total += count
            let bound =
                index < Self.bounds.count ? (Double(Self.bounds[index]) / 1e9).metricText : "+Inf"
            lines.append("\(name)_bucket{\(prefix)le=\"\(bound)\"} \(total)")
        }
        lines.append("\(name)_sum\(labels.braced) \((Double(state.sum) / 1e9).metricText)")
        lines.append("\(name)_count\(labels.braced) \(total)")
        return lines
    }
}

extension String {
    /// The text in braces, or nothing if it is empty.
    fileprivate var braced: String { self.isEmpty ? "" : "{\(self)}" }
}

extension Double {
    /// The number as written in the text: a whole number has no point.
    fileprivate var metricText: String {
        Int64(exactly: self).map(String.init) ?? "\(self)"
    }
}
