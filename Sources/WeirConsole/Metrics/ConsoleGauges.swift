// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirCache
import WeirLive

/// The metrics whose values are looked up on request, not counted as events happen.
struct ConsoleGauges: Sendable {
    private let registry: PrometheusRegistry

    init(_ registry: PrometheusRegistry) {
        self.registry = registry
    }

    /// Sets the metrics to their current values; a metric without a value is absent.
    func set(_ subject: ConsoleSubject) async {
        let cache = subject.library.cacheSnapshot(of: 0)
        self.set("weir.cache.bytes", cache?.heldByteCount)
        self.set("weir.cache.resources", cache.map { Int64($0.resourceCount) })
        self.set("weir.cache.free.bytes", cache?.freeBytes)
        self.set("weir.cache.limit.bytes", cache?.limits.byteCount)
        let stations = subject.stations().map { ($0.name, $0.station.figures) }
        func set(_ label: String, isCounter: Bool = false, _ value: (StationFigures) -> Int64) {
            self.registry.replace(
                label,
                isCounter: isCounter,
                with: stations.map { ([("station", $0.0)], value($0.1)) }
            )
        }
        set("weir.radio.reconnects", isCounter: true) { Int64($0.status.reconnects) }
        set("weir.radio.listeners") { Int64($0.listenerCount) }
        set("weir.radio.buffered.seconds") { $0.buffered.components.seconds }
    }

    private func set(_ label: String, _ value: Int64?) {
        self.registry.replace(label, isCounter: false, with: value.map { [([], $0)] } ?? [])
    }
}
