// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// How many requests a second some hosts may be sent, all that ask them together.
///
/// Nothing is saved up: after a pause the next request goes at once, and the one behind it an interval later.
final class RequestCeilings: Sendable {
    /// The requests to a host, in the order in which they came.
    private struct Row {
        /// When the next one that comes may be sent, since the timeline's start.
        var next = Duration.zero
        /// The turns of requests that have given up.
        var free: [Duration] = []

        mutating func turn(at now: Duration, interval: Duration) -> Duration {
            self.free.removeAll { $0 < now }
            if let first = self.free.min(), first < self.next {
                self.free.removeAll { $0 == first }
                return first
            }
            let turn = max(now, self.next)
            self.next = turn + interval
            return turn
        }
    }

    private let intervals: [String: Duration]
    private let timeline: Timeline
    private let rows = Mutex([String: Row]())

    /// `nil` if no host has a ceiling.
    ///
    /// - Parameters:
    ///   - rates: requests a second by the name of a host, 1 or more; those of hosts below that name count in it.
    ///   - clock: measures the time and sleeps.
    init?(_ rates: [String: Int], clock: any Clock<Duration>) {
        guard !rates.isEmpty else { return nil }
        self.intervals = rates.mapValues { .seconds(1) / max(1, $0) }
        self.timeline = Timeline(clock)
    }

    /// Waits until a request may be sent.
    ///
    /// A request that gives up has taken nothing from those behind it.
    ///
    /// - Parameters:
    ///   - host: its name.
    ///   - whenHeld: called once if it may not be sent at once.
    /// - Throws: `CancellationError`, at once, when the calling task is cancelled.
    func pass(_ host: String, whenHeld: () -> Void) async throws {
        guard let (name, interval) = self.ceiling(of: host) else { return }
        let now = self.timeline.elapsed()
        let turn = self.rows.withLock { $0[name, default: Row()].turn(at: now, interval: interval) }
        guard turn > now else { return }
        whenHeld()
        do {
            try await self.timeline.sleep(turn - now)
        } catch {
            self.rows.withLock { $0[name]?.free.append(turn) }
            throw error
        }
    }

    private func ceiling(of host: String) -> (name: String, interval: Duration)? {
        var name = host[...]
        while true {
            if let interval = self.intervals[String(name)] { return (String(name), interval) }
            guard let dot = name.firstIndex(of: ".") else { return nil }
            name = name[name.index(after: dot)...]
        }
    }
}
