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

/// Where the pipeline ends at the socket: what is closed from here passes TLS by.
///
/// TLS waits seconds for the other side's `close_notify`, which a server that is sending does not read, and without TLS a
/// server learns of the end only with what it sends next. So an answer that is left in its middle ends with a reset: the
/// socket is closed below TLS, with nothing left to be sent (`SO_LINGER` of 0 seconds).
final class SocketEnd: ChannelOutboundHandler {
    typealias OutboundIn = IOData

    private var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    /// Closes the socket with a reset; nothing happens to one that is closed.
    func reset() {
        guard let context else { return }
        // Where the option cannot be set, the socket is closed all the same.
        let socket = context.channel as? any SocketOptionProvider
        _ = socket?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
        context.close(promise: nil)
    }
}
