// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A connection that a proxy closed because its client runs as another user.
public struct RefusedClient: Sendable, Hashable {
    /// The number of the client's user; `nil` if it is unknown, as when the client has closed its
    /// socket.
    public var user: UInt32?

    /// Describes a refused client.
    public init(user: UInt32?) {
        self.user = user
    }
}

/// Admits only programs of one user and of root, which can read everything anyway.
struct PeerAdmission: Sendable {
    private let owners: SocketOwners
    private let user: UInt32
    private let onRefused: (@Sendable (RefusedClient) -> Void)?

    /// Checks that the system reports the owner of a socket.
    ///
    /// - Parameter onRefused: receives every refused client, on the event loop of its connection.
    /// - Throws: ``ProxyError`` with `usersUnknown` if the system does not report it.
    init(onRefused: (@Sendable (RefusedClient) -> Void)?) throws(ProxyError) {
        guard let owners = SocketOwners(), owners.isAnswering() else {
            throw ProxyError(
                .usersUnknown,
                "The proxy cannot admit only programs of its own user, because this system does not report the owner of"
                    + " a connection; leave admitsOnlySameUser off, or use a Linux whose kernel has inet_diag and"
                    + " tcp_diag."
            )
        }
        self.owners = owners
        self.user = geteuid()
        self.onRefused = onRefused
    }

    /// Whether an accepted connection is served; asks the system about the client's socket.
    ///
    /// A client whose user cannot be found out is refused.
    func admits(_ channel: any Channel) -> Bool {
        var answer = SocketDiagnosis.Answer.absent
        if let local = SocketPair.End(channel.remoteAddress),
            let remote = SocketPair.End(channel.localAddress)
        {
            answer = self.owners.answer(about: SocketPair(local: local, remote: remote))
        }
        guard let refused = Self.refusal(by: answer, for: self.user) else { return true }
        self.onRefused?(refused)
        return false
    }

    /// Decides about a client by the user of its socket.
    ///
    /// - Parameters:
    ///   - answer: the system's answer about the client's socket.
    ///   - user: the proxy's user.
    /// - Returns: `nil` for an admitted client; a client whose user is unknown is refused.
    static func refusal(by answer: SocketDiagnosis.Answer, for user: UInt32) -> RefusedClient? {
        switch answer {
        case .open(let client) where client == user || client == 0: nil
        case .open(let client): RefusedClient(user: client)
        case .closed, .absent, .refused, .unrelated, .unreadable:
            RefusedClient(user: nil)
        }
    }
}
