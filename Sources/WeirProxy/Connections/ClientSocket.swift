// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// What has become of the socket at the other end of a connection.
enum ClientSocket: Hashable, Sendable {
    /// A process has it open.
    case open
    /// No process has it open any more: the client has left.
    case left
    /// It is on another machine, or the system does not tell.
    case unknown

    /// The socket to ask, kept from the first question that the system could be asked.
    private static let owners = Mutex<SocketOwners?>(nil)

    /// Finds out.
    ///
    /// Linux tells of every socket of the machine by its two ends (`sock_diag(7)`): one that was closed has no inode, or
    /// is not there at all.
    static func find(atOtherEndOf channel: any Channel) -> ClientSocket {
        guard let client = SocketPair.End(channel.remoteAddress),
            let here = SocketPair.End(channel.localAddress)
        else { return .unknown }
        // Of another machine's sockets, and of those of another network namespace, there is nothing to be learned.
        guard
            ClientAddress(channel.remoteAddress).isLoopback || client.address == here.address,
            let owners = Self.asked()
        else { return .unknown }
        return ClientSocket(owners.answer(about: SocketPair(local: client, remote: here)))
    }

    /// Reads what the system says of the client's socket.
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
