// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What became of a connection that asked a port whether a proxy is alive behind it.
enum HealthFinding: Hashable, Sendable {
    /// Nobody listens, or the connection could not be made.
    case unreachable
    /// An answer with this status.
    case answered(status: Int)
    /// The other side ended the connection without an answer that can be read.
    case ended
    /// Nothing came in the time that there was.
    case silent

    /// Whether this proves a proxy alive.
    ///
    /// A proxy that has all the connections that it takes says 503 or just ends one: it is busy, and those whom it serves
    /// must not lose it. Another program may have taken the port, and may answer as well: only a proxy to
    /// which a connection came meanwhile has a socket that still listens.
    ///
    /// - Parameter hasReceivedConnection: whether the proxy has taken a connection since the question was asked.
    /// - Returns: whether it is alive.
    func provesLife(hasReceivedConnection: Bool) -> Bool {
        guard hasReceivedConnection else { return false }
        return switch self {
        case .answered(let status): status == 200 || status == 503
        case .ended: true
        case .unreachable, .silent: false
        }
    }
}
