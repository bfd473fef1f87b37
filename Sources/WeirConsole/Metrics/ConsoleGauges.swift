// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import CoreMetrics
import Weir
import WeirCache
import WeirLive

/// The metrics that are looked up when they are asked for, and not counted as things happen.
struct ConsoleGauges: Sendable {
    private let registry: PrometheusRegistry

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
    }

    /// Sets them to what is true now.
    func set(_ subject: ConsoleSubject) async {
        if let cache = subject.library.cacheSnapshot(of: 0) {
            self.set("weir.cache.bytes", cache.heldBytes)
            self.set("weir.cache.resources", Int64(cache.resourceCount))
            if let free = cache.freeBytes { self.set("weir.cache.free.bytes", free) }
            if let limit = cache.limits.byteCount { self.set("weir.cache.limit.bytes", limit) }
        }
        for shown in subject.stations() {
            let figures = shown.station.figures
            let dimensions = [("station", shown.name)]
            self.registry.set(
                counter: "weir.radio.reconnects",
                dimensions: dimensions,
                to: Int64(figures.status.reconnects)
            )
            self.set("weir.radio.listeners", Int64(figures.listenerCount), dimensions)
            self.set(
                "weir.radio.buffered.seconds",
                figures.buffered.components.seconds,
                dimensions
            )
        }
    }

    private func set(_ label: String, _ value: Int64, _ dimensions: [(String, String)] = []) {
        self.registry.makeMeter(label: label, dimensions: dimensions).set(value)
    }
}
