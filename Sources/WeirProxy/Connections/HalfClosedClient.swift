// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// Decides how long a client that sends no more is still served.
///
/// TCP says no more than that: a client that has closed its sending half and waits for its answer, and one that has left
/// for good, have both sent a FIN (RFC 9293 §3.6), and of the second nothing else comes until it is sent a byte, to which
/// it answers with a reset. So:
///
/// - Where the system tells what has become of the client's socket, which it does for clients of the same machine, that
///   decides: a client that has left is left at once.
/// - Where it does not, the client is served for as long as it takes bytes. One that has gone answers the first of them
///   with a reset, which ends the connection. While there are none to send, because the source is slow, it is waited for
///   ``patience`` and no longer.
struct HalfClosedClient {
    /// How long a client of which nothing is known waits for its next byte.
    static let patience = TimeAmount.seconds(10)
    /// When to look for the second time: the system may not have noted yet that a socket was left.
    static let firstInterval = TimeAmount.milliseconds(20)
    /// When to look from then on: a client may leave later, without a sign.
    static let interval = TimeAmount.seconds(1)

    /// The next look.
    var timer: Scheduled<Void>?
    private var hasLooked = false
    private var sentBytes: Int64
    private var sentSince: NIODeadline

    /// The client has closed its sending half.
    ///
    /// - Parameters:
    ///   - sentBytes: what it has been sent so far.
    ///   - now: the time.
    init(sentBytes: Int64, at now: NIODeadline) {
        self.sentBytes = sentBytes
        self.sentSince = now
    }

    /// The client's socket has been looked at.
    ///
    /// - Returns: when to look again; `nil` if the connection is to be closed.
    mutating func looked(
        _ socket: ClientSocket,
        sentBytes: Int64,
        isSending: Bool = false,
        at now: NIODeadline
    ) -> TimeAmount? {
        // Bytes that are on their way count, however slowly they go: a client that has left answers them with a reset.
        if isSending || sentBytes != self.sentBytes {
            (self.sentBytes, self.sentSince) = (sentBytes, now)
        }
        let interval = self.hasLooked ? Self.interval : Self.firstInterval
        self.hasLooked = true
        return switch socket {
        case .left: nil
        case .open: interval
        case .unknown:
            now - self.sentSince >= Self.patience ? nil : interval
        }
    }
}

extension ConnectionHandler {
    /// Looks what has become of a client that sends no more, now and every now and then until its answer is complete.
    func lookAfterHalfClosure() {
        guard let exchange, let context, context.channel.isActive else { return }
        let now = self.eventLoop.now
        var client = self.halfClosed ?? HalfClosedClient(sentBytes: exchange.sentByteCount, at: now)
        let nextLook = client.looked(
            self.service.clientSocket(context.channel),
            sentBytes: exchange.sentByteCount,
            isSending: exchange.outstandingWrites > 0,
            at: now
        )
        guard let nextLook else {
            self.halfClosed = client
            return self.close()
        }
        client.timer = self.eventLoop.assumeIsolated().scheduleTask(in: nextLook) {
            self.lookAfterHalfClosure()
        }
        self.halfClosed = client
    }
}
