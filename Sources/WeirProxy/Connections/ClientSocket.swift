// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// The state of the socket at the other end of a connection.
enum ClientSocket: Hashable, Sendable {
    /// A process has it open.
    case open
    /// No process has it open any more: the client has left.
    case left
    /// The socket is on another machine, or the system does not report its state.
    case unknown

    /// The socket for questions to the system, kept from the first time that the system answers.
    private static let owners = Mutex<SocketOwners?>(nil)

    /// Asks the system for the state of the client's socket.
    ///
    /// Linux reports every socket of the machine by its two ends (`sock_diag(7)`). A closed socket has no inode, or
    /// is not reported at all.
    static func find(atOtherEndOf channel: any Channel) -> ClientSocket {
        guard let client = SocketPair.End(channel.remoteAddress),
            let here = SocketPair.End(channel.localAddress)
        else { return .unknown }
        // The system reports no sockets of another machine or of another network namespace.
        guard
            ClientAddress(channel.remoteAddress).isLoopback || client.address == here.address,
            let owners = Self.asked()
        else { return .unknown }
        return ClientSocket(owners.answer(about: SocketPair(local: client, remote: here)))
    }

    /// Reads the system's answer about the client's socket.
    init(_ answer: SocketDiagnosis.Answer) {
        self =
            switch answer {
            case .open: .open
            case .closed, .absent: .left
            case .refused, .unrelated, .unreadable: .unknown
            }
    }

    private static func asked() -> SocketOwners? {
        self.owners.withLock { owners in
            if owners == nil, let found = SocketOwners(), found.isAnswering() { owners = found }
            return owners
        }
    }
}
