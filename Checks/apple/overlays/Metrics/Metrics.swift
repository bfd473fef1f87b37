// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

// swift-format-ignore-file
// Names are swift-metrics's or the compiler's, and what they mean is documented there.

// The part of swift-metrics that the library uses. Linux compiles it against swift-metrics itself.

public protocol MetricsFactory: Sendable {}

public enum MetricsSystem {
    public static var factory: any MetricsFactory { unseen() }
}

public final class Counter: Sendable {
    public init(label: String, dimensions: [(String, String)] = [], factory: any MetricsFactory) { unseen() }
    public func increment<DataType: BinaryInteger>(by amount: DataType) { unseen() }
    public func increment() { unseen() }
}

public final class Gauge: Sendable {
    public init(label: String, dimensions: [(String, String)] = [], factory: any MetricsFactory) { unseen() }
    public func record<DataType: BinaryInteger>(_ value: DataType) { unseen() }
    public func record<DataType: BinaryFloatingPoint>(_ value: DataType) { unseen() }
}

public final class Timer: Sendable {
    public init(label: String, dimensions: [(String, String)] = [], factory: any MetricsFactory) { unseen() }
    public func recordNanoseconds(_ duration: Int64) { unseen() }
    public func recordSeconds<DataType: BinaryFloatingPoint>(_ duration: DataType) { unseen() }
    public func record(duration: Duration) { unseen() }
}

/// Nothing here is ever run.
func unseen() -> Never { fatalError() }
