// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

/// Limits the requests per second to some hosts, over all clients, which take turns.
///
/// Unused requests are not saved: after a pause one request goes at once, the next an interval
/// later.
final class RequestCeilings: Sendable {
    private let limiters: [String: RateLimiter]

    /// Creates the limits; `nil` if no host has one.
    ///
    /// - Parameters:
    ///   - rates: requests per second by the name of a host, 1 or more. Requests to hosts below
    ///     that name count in the same limit.
    ///   - clock: measures the time and sleeps.
    init?(_ rates: [String: Int], clock: any Clock<Duration>) {
        guard !rates.isEmpty else { return nil }
        self.limiters = rates.mapValues { RateLimiter(unitsPerSecond: Int64($0), clock: clock) }
    }

    /// Waits until a request may be sent.
    ///
    /// A request that gives up takes no turn from the requests behind it.
    ///
    /// - Parameters:
    ///   - host: the name of the host.
    ///   - whenHeld: called once if the request must wait.
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
