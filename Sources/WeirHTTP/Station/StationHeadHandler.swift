// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// Stands between the connection's bytes and the parser, and lets the heads of stations through to it.
///
/// It is in every connection and does nothing in most: it is armed by a request that asks for titles, for the answer to
/// that one. Files and services keep the parser's whole strictness, and kept connections may carry both. Bodies pass
/// uncopied; a body that begins in the same read as its head ends is a slice of that read.
final class StationHeadHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// The field that asks a station for titles, by which its requests are known.
    static let header = "Icy-MetaData"

    private var machine = StationHeadMachine()

    /// A request that asks for titles goes out.
    func arm() {
        self.machine.armed()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard self.machine.isArmed else {
            context.fireChannelRead(data)
            return
        }
        var buffer = self.unwrapInboundIn(data)
        let effects = self.machine.received(buffer.readableBytesView)
        if !effects.rewritten.isEmpty {
            context.fireChannelRead(
                self.wrapInboundOut(context.channel.allocator.buffer(bytes: effects.rewritten))
            )
        }
        guard !effects.isTooLong else {
            context.fireErrorCaught(
                HTTPTransportError(
                    .malformed,
                    "the head of its answer is longer than \(StationHeadMachine.limit >> 10) KiB"
                )
            )
            return
        }
        buffer.moveReaderIndex(forwardBy: effects.consumed)
        if buffer.readableBytes > 0 { context.fireChannelRead(self.wrapInboundOut(buffer)) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case ChannelEvent.inputClosed = event { self.letGo(context) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.letGo(context)
        context.fireChannelInactive()
    }

    /// Half a head is the parser's to judge.
    private func letGo(_ context: ChannelHandlerContext) {
        let rest = self.machine.ended()
        guard !rest.isEmpty else { return }
        context.fireChannelRead(
            self.wrapInboundOut(context.channel.allocator.buffer(bytes: rest))
        )
    }
}
