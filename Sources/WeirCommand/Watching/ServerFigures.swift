// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirConsole
import WeirSource

/// The activity of a running server, in words for `weir stats` and `weir top`.
struct ServerFigures {
    private let state: ConsoleState

    init(_ state: ConsoleState) { self.state = state }

    /// The figures, a line each with a name and a text.
    var lines: [(name: String, text: String)] {
        [("cache", self.cache), ("players", self.players), ("origins", self.origins)]
            + (self.state.cache.trouble.map { [("trouble", $0.printableLine)] } ?? [])
            + self.state.stations.map { ("station", Self.text(of: $0)) }
    }

    /// The figures for a narrow terminal: the parts of each figure, the most important part first.
    var briefLines: [(name: String, parts: [String])] {
        let (cache, counts) = (self.state.cache, self.state.counts)
        let limit = cache.limits.bytes.map { " of \(ByteSize.format($0))" } ?? ""
        let failed = counts.failures.addingClamped(counts.refused)
        return [
            (
                "cache",
                [
                    "\(cache.resources) held", "\(ByteSize.format(cache.bytes))\(limit)",
                    cache.free.map { "\(ByteSize.format($0)) free" },
                ].compactMap(\.self)
            ),
            (
                "players",
                [
                    "\(self.state.readers.count) reading", self.briefRate(1),
                    failed == 0 ? nil : "\(failed) failed",
                    ByteSize.format(counts.served), Self.requests(counts.requests),
                ].compactMap(\.self)
            ),
            (
                "origins",
                [
                    "\(self.state.fetches.count) fetching", self.briefRate(0),
                    counts.retries == 0 ? nil : "\(counts.retries) repeated",
                    ByteSize.format(counts.origin), Self.requests(counts.originRequests),
                ].compactMap(\.self)
            ),
        ] + self.lines.dropFirst(3).map { ($0.name, [$0.text]) }
    }

    private func briefRate(_ column: Int) -> String? {
        let rate = self.rate(column)
        return rate.isEmpty ? nil : String(rate.dropFirst(2))
    }

    private var cache: String {
        let cache = self.state.cache
        let limit = cache.limits.bytes.map { " of \(ByteSize.format($0))" } ?? ""
        let free = cache.free.map { ", \(ByteSize.format($0)) free on the disk" } ?? ""
        let count = cache.resources == 1 ? "1 resource" : "\(cache.resources) resources"
        return "\(ByteSize.format(cache.bytes))\(limit) in \(count)\(free)"
    }

    private var players: String {
        let counts = self.state.counts
        let failures =
            (counts.failures == 0 ? "" : ", \(counts.failures) failed")
            + (counts.refused == 0 ? "" : ", \(counts.refused) refused")
        return
            "\(self.state.readers.count) reading now; \(Self.requests(counts.requests))\(failures), "
            + "\(ByteSize.format(counts.served)) served\(self.rate(1))"
    }

    private var origins: String {
        let counts = self.state.counts
        let retries = counts.retries == 0 ? "" : ", \(counts.retries) repeated"
        return
            "\(self.state.fetches.count) fetching now; \(Self.requests(counts.originRequests))\(retries), "
            + "\(ByteSize.format(counts.origin)) received\(self.rate(0))"
    }

    /// The average rate in bytes a second over the last five seconds.
    private func rate(_ column: Int) -> String {
        let seconds = self.state.traffic.suffix(5).compactMap {
            $0.count > column ? $0[column] : nil
        }
        guard !seconds.isEmpty else { return "" }
        return
            ", \(ByteSize.format(seconds.reduce(0) { $0.addingClamped($1) } / Int64(seconds.count)))/s"
    }

    private static func requests(_ count: Int64) -> String {
        count == 1 ? "1 request" : "\(count) requests"
    }

    /// The line for a station.
    static func text(of station: ConsoleState.Station) -> String {
        let kept = "\(Self.minutes(station.buffered)) of \(Self.minutes(station.timeShift)) kept"
        let listeners = station.listeners == 1 ? "1 listener" : "\(station.listeners) listeners"
        let parts = [
            "\(station.name) \(station.state)", station.title.map { "“\($0)”" }, station.reason,
            listeners, kept,
            station.reconnects > 0 ? "\(station.reconnects) × reconnected" : nil,
        ]
        return parts.compactMap(\.self).joined(separator: " · ").printableLine
    }

    private static func minutes(_ seconds: Int64) -> String {
        seconds < 60 ? "\(seconds) s" : "\(seconds / 60) min"
    }
}
