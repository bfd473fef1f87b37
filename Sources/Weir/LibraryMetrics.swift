// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Metrics
import Synchronization
import WeirSource

/// Counts the requests to origins and the bytes received from them.
package final class TransferTotals: Sendable {
    /// The counts at one moment.
    package struct Snapshot: Sendable, Hashable {
        /// Requests that were sent.
        package var requests = 0
        /// Received body bytes.
        package var receivedBytes: Int64 = 0
        /// Requests that had to be repeated.
        package var retries = 0
    }

    private let counts = Mutex(Snapshot())

    init() {}

    /// The counts now.
    package var snapshot: Snapshot { self.counts.withLock { $0 } }

    func count(_ event: SourceEvent) {
        switch event {
        case .requested: self.counts.withLock { $0.requests += 1 }
        case .received(let byteCount): self.counts.withLock { $0.receivedBytes += Int64(byteCount) }
        case .retrying: self.counts.withLock { $0.retries += 1 }
        case .linkRenewed, .credentialRefreshed, .answered, .redirected, .changed, .cacheDegraded,
            .cacheRecovered, .cacheDamaged, .cacheEvicted, .keySuspected, .encrypted, .waiting,
            .storingForbidden,
            .refusedThoughHeld, .waitingForConnection, .requestHeld, .bytesHeld,
            .downloadsUnreadable, .silent, .tier:
            break
        }
    }
}

/// Reports to the program's metrics system what a library does.
///
/// | label | kind | value |
/// |---|---|---|
/// | `weir.origin.requests` | counter | requests that were sent to origins |
/// | `weir.origin.received.bytes` | counter | received body bytes |
/// | `weir.origin.retries` | counter | requests that had to be repeated |
/// | `weir.origin.held` | counter | requests that waited for the limit of requests per second of their host |
/// | `weir.origin.held.bytes` | counter | body bytes that waited for the limit of bytes per second |
/// | `weir.origin.wait` | timer | the time from a request to the head of its response |
/// | `weir.cache.degradations` | counter | times that the cache stopped storing bytes |
/// | `weir.cache.degraded` | gauge | 1 while the cache cannot store bytes, else 0 |
/// | `weir.cache.damaged.bytes` | counter | bytes that differed from the written ones |
/// | `weir.cache.damages` | counter | times that such bytes were found |
/// | `weir.cache.evictions` | counter | resources that were removed because the cache held too much |
/// | `weir.cache.evicted.bytes` | counter | bytes that were removed with them |
/// | `weir.tier.…` | counters | as ``TierMetrics`` says |
struct LibraryMetrics: Sendable {
    private let requests: Counter
    private let receivedBytes: Counter
    private let retries: Counter
    private let held: Counter
    private let heldBytes: Counter
    private let degradations: Counter
    private let degraded: Gauge
    private let damagedBytes: Counter
    private let damages: Counter
    private let evictions: Counter
    private let evictedBytes: Counter
    private let wait: Timer
    private let tier: TierMetrics

    /// - Parameter factory: the metrics system.
    init(factory: any MetricsFactory = MetricsSystem.factory) {
        func counter(_ label: String) -> Counter { Counter(label: label, factory: factory) }
        self.requests = counter("weir.origin.requests")
        self.receivedBytes = counter("weir.origin.received.bytes")
        self.retries = counter("weir.origin.retries")
        self.held = counter("weir.origin.held")
        self.heldBytes = counter("weir.origin.held.bytes")
        self.degradations = counter("weir.cache.degradations")
        self.degraded = Gauge(label: "weir.cache.degraded", factory: factory)
        self.damagedBytes = counter("weir.cache.damaged.bytes")
        self.damages = counter("weir.cache.damages")
        self.evictions = counter("weir.cache.evictions")
        self.evictedBytes = counter("weir.cache.evicted.bytes")
        self.wait = Timer(label: "weir.origin.wait", factory: factory)
        self.tier = TierMetrics(counter)
        self.degraded.record(0)
    }

    func count(_ event: SourceEvent) {
        switch event {
        case .requested: self.requests.increment()
        case .received(let byteCount): self.receivedBytes.increment(by: byteCount)
        case .retrying: self.retries.increment()
        case .requestHeld: self.held.increment()
        case .bytesHeld(let byteCount): self.heldBytes.increment(by: byteCount)
        case .cacheDegraded:
            self.degradations.increment()
            self.degraded.record(1)
        case .cacheRecovered: self.degraded.record(0)
        case .cacheDamaged(let byteCount):
            self.damages.increment()
            self.damagedBytes.increment(by: byteCount)
        case .cacheEvicted(let resourceCount, let byteCount):
            self.evictions.increment(by: resourceCount)
            self.evictedBytes.increment(by: byteCount)
        case .answered(_, _, let wait): if let wait { self.wait.record(duration: wait) }
        case .tier(let event): self.tier.count(event)
        case .linkRenewed, .credentialRefreshed, .redirected, .changed, .keySuspected, .encrypted,
            .waiting, .storingForbidden, .refusedThoughHeld, .waitingForConnection,
            .downloadsUnreadable, .silent:
            break
        }
    }
}

/// Counts the traffic with a store that a fleet shares.
///
/// | label | value |
/// |---|---|
/// | `weir.tier.read.bytes` | bytes of extents that were read |
/// | `weir.tier.misses` | extents that the store did not have, or did not deliver in time |
/// | `weir.tier.failures` | requests that the store answered wrongly, too late or not at all |
/// | `weir.tier.late` | answers that came later than the origin's |
/// | `weir.tier.hedges` | requests to the origin in parallel with the store |
/// | `weir.tier.hedged.bytes` | bytes that these requests asked for |
/// | `weir.tier.pauses` | times that Weir stopped using the store for a while |
/// | `weir.tier.damages` | objects whose content no machine of the fleet has written |
/// | `weir.tier.stored.bytes` | bytes of extents that were written |
/// | `weir.tier.dropped` | extents that were not written because too many waited |
private struct TierMetrics: Sendable {
    private let readBytes: Counter
    private let misses: Counter
    private let failures: Counter
    private let late: Counter
    private let hedges: Counter
    private let hedgedBytes: Counter
    private let pauses: Counter
    private let damages: Counter
    private let storedBytes: Counter
    private let dropped: Counter

    init(_ counter: (String) -> Counter) {
        self.readBytes = counter("weir.tier.read.bytes")
        self.misses = counter("weir.tier.misses")
        self.failures = counter("weir.tier.failures")
        self.late = counter("weir.tier.late")
        self.hedges = counter("weir.tier.hedges")
        self.hedgedBytes = counter("weir.tier.hedged.bytes")
        self.pauses = counter("weir.tier.pauses")
        self.damages = counter("weir.tier.damages")
        self.storedBytes = counter("weir.tier.stored.bytes")
        self.dropped = counter("weir.tier.dropped")
    }

    func count(_ event: TierEvent) {
        switch event {
        case .read(let byteCount): self.readBytes.increment(by: byteCount)
        case .missed: self.misses.increment()
        case .failed: self.failures.increment()
        case .late: self.late.increment()
        case .hedged(let byteCount):
            self.hedges.increment()
            self.hedgedBytes.increment(by: byteCount)
        case .paused: self.pauses.increment()
        case .damaged: self.damages.increment()
        case .stored(let byteCount): self.storedBytes.increment(by: byteCount)
        case .dropped: self.dropped.increment()
        }
    }
}
