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

/// The end of the pipeline at the socket; a close from here bypasses TLS.
///
/// TLS waits seconds for the server's `close_notify`, but a server that is busy sending does not
/// read the client's `close_notify`. Without TLS a server notices the end only when it sends again.
/// So a connection in the middle of a response ends with a reset: the socket closes below TLS and
/// drops unsent data (`SO_LINGER` of 0 seconds).
final class SocketEnd: ChannelOutboundHandler {
    typealias OutboundIn = IOData

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Closes the socket with a reset; does nothing to a closed one.
    func reset() {
        guard let context else { return }
        // If the option cannot be set, the socket still closes.
        let socket = context.channel as? any SocketOptionProvider
        _ = socket?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        context.close(promise: nil)
    }
}
