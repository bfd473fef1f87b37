// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import Synchronization

/// Decides how long the proxy serves a client that sends no more.
///
/// A client that has closed its sending half and waits for its answer has sent a FIN (RFC 9293
/// §3.6). A client that has left for good has sent a FIN, too. It sends nothing else until it
/// receives a byte, which it answers with a reset. Therefore:
///
/// - For clients of the same machine, the system may report the state of the client's socket. A
///   client that has left is then disconnected at once.
/// - Otherwise the client is served for as long as it takes bytes. A client that has left answers
///   the first byte with a reset, which ends the connection. While a slow source yields no bytes,
///   the proxy waits for ``patience`` and no longer.
struct HalfClosedClient {
    /// How long the proxy waits without sending a byte if the state of the client is unknown.
    static let patience = TimeAmount.seconds(10)
    /// The delay of the second check: the system may not have noted at once that a socket was
    /// closed.
    static let firstInterval = TimeAmount.milliseconds(20)
    /// The delay of each later check: a client may leave later, without a sign.
    static let interval = TimeAmount.seconds(1)

    /// The timer of the next check.
    var timer: Scheduled<Void>?
    private var hasLooked = false
    private var sentBytes: Int64
    private var sentSince: NIODeadline

    /// The client has closed its sending half.
    ///
    /// - Parameters:
    ///   - sentBytes: how many bytes it has been sent so far.
    ///   - now: the time.
    init(sentBytes: Int64, at now: NIODeadline) {
        self.sentBytes = sentBytes
        self.sentSince = now
    }

    /// The client's socket has been checked.
    ///
    /// - Returns: the delay of the next check; `nil` if the connection must be closed.
    mutating func looked(
        _ socket: ClientSocket,
        sentBytes: Int64,
        isSending: Bool = false,
        at now: NIODeadline
    ) -> TimeAmount? {
        // Pending bytes count, however slowly they go: a client that has left answers them with a
        // reset.
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
    /// Checks whether a client that sends no more has left, now and repeatedly until its response
    /// is complete.
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
