// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

extension ProxyServer {
    /// Whether players reach the proxy: connects to its port and asks for `/healthz`.
    ///
    /// Ask it when an application returns to the foreground: the system may have taken the sockets of a suspended one
    /// away without a word, and what listened then seems to listen still. A proxy with as many connections as it takes
    /// is alive; another program that has taken the port, and answers, is not this proxy.
    ///
    /// Takes one connection, which ``ProxyRequestRecord`` tells of as of any other. May be called from any task, at any
    /// time, after ``shutdown(gracePeriod:)`` too.
    ///
    /// - Parameter limit: how long the answer may take in all; a day at most. Over loopback it takes a millisecond.
    /// - Returns: false if nobody listens, if no answer came in time, and at once when the calling task is cancelled.
    public func isAnswering(within limit: Duration = .seconds(1)) async -> Bool {
        guard let address else { return false }
        let before = self.service.registry.arrivalCount
        let finding = await HealthProbe.ask(
            address,
            within: TimeAmount(min(max(limit, .zero), .seconds(86_400)))
        )
        return finding.provesLife(
            hasReceivedConnection: self.service.registry.arrivalCount != before
        )
    }
}
