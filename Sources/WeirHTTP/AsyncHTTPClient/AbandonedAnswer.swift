// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Ends a connection that is left in the middle of an answer with a reset.
///
/// An orderly end would let the rest of the answer take bandwidth from what is wanted instead (law 6): TLS waits seconds
/// for the other side's `close_notify`, which a server that is sending does not read, and without TLS a server learns
/// of the end only with what it sends next. So the socket is closed below TLS, with nothing left to be sent
/// (`SO_LINGER` of 0 seconds).
///
/// Stands behind the decoder of answers; ``SocketEnd`` stands next to the socket.
final class AbandonedAnswer: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    /// Where the pipeline ends at the socket: what is closed from here passes TLS by.
    final class SocketEnd: ChannelOutboundHandler {
        typealias OutboundIn = IOData

        private var context: ChannelHandlerContext?

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }
        func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

        fileprivate func reset(_ promise: EventLoopPromise<Void>?) {
            guard let context else {
                promise?.succeed(())
                return
            }
            // Where the option cannot be set, the socket is closed all the same.
            let socket = context.channel as? any SocketOptionProvider
            _ = socket?.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            context.close(promise: promise)
        }
    }

    private let socketEnd: SocketEnd
    /// Whether a request was sent, and its answer has not come to its end.
    private var isAnswerDue = false

    init(_ socketEnd: SocketEnd) {
        self.socketEnd = socketEnd
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head = self.unwrapOutboundIn(data) { self.isAnswerDue = true }
        context.write(data, promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if case .end = self.unwrapInboundIn(data) { self.isAnswerDue = false }
        context.fireChannelRead(data)
    }

    func close(
        context: ChannelHandlerContext,
        mode: CloseMode,
        promise: EventLoopPromise<Void>?
    ) {
        guard mode == .all, self.isAnswerDue else {
            return context.close(mode: mode, promise: promise)
        }
        self.isAnswerDue = false
        self.socketEnd.reset(promise)
    }
}
