// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Synchronization
import WeirSource

/// How many requests a second some hosts may be sent, all that ask them together.
///
/// Nothing is saved up: after a pause the next request goes at once, and the one behind it an interval later.
final class RequestCeilings: Sendable {
    private let intervals: [String: Duration]
    private let timeline: Timeline
    /// When the next request may be sent to a host, since the timeline's start.
    private let next = Mutex([String: Duration]())

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
        var isHeld = false
        while true {
            let now = self.timeline.elapsed()
            let wait = self.next.withLock { next -> Duration in
                let due = next[name] ?? now
                if due <= now { next[name] = now + interval }
                return due - now
            }
            guard wait > .zero else { return }
            if !isHeld { whenHeld() }
            isHeld = true
            try await self.timeline.sleep(wait)
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
