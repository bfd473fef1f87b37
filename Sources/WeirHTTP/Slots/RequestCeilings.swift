// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// How many requests a second some hosts may be sent, all that ask them together; turns go round by client.
///
/// Nothing is saved up: after a pause the next request goes at once, and the one behind it an interval later.
final class RequestCeilings: Sendable {
    private let limiters: [String: RateLimiter]

    /// `nil` if no host has a ceiling.
    ///
    /// - Parameters:
    ///   - rates: requests a second by the name of a host, 1 or more; those of hosts below that name count in it.
    ///   - clock: measures the time and sleeps.
    init?(_ rates: [String: Int], clock: any Clock<Duration>) {
        guard !rates.isEmpty else { return nil }
        self.limiters = rates.mapValues { RateLimiter(unitsPerSecond: Int64($0), clock: clock) }
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
        guard let limiter = self.limiter(of: host) else { return }
        let line = ClientRequest.current?.id.connection ?? 0
        guard let wait = limiter.ask(for: 1, line: line) else { return }
        whenHeld()
        try await limiter.wait(for: wait)
    }

    private func limiter(of host: String) -> RateLimiter? {
        var name = host[...]
        while true {
            if let limiter = self.limiters[String(name)] { return limiter }
            guard let dot = name.firstIndex(of: ".") else { return nil }
            name = name[name.index(after: dot)...]
        }
    }
}
