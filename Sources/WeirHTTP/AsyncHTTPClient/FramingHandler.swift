// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Stands between a connection's bytes and the parser, and lets through the heads whose framing can be repaired.
///
/// A request arms it for the head of its answer. A head that needs no repair passes in the buffer that it came in, as
/// does every byte of a body. A head that comes in several reads is held back until it is whole.
final class FramingHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private enum State {
        /// A body, or nothing: bytes pass.
        case idle
        /// A head may come, of which these bytes have come.
        case armed(FramingMachine, ByteBuffer?)
        /// A head was refused: nothing behind it is handed on.
        case broken
    }

    private var state = State.idle

    /// A request goes out.
    func requestSent() {
        self.state = .armed(FramingMachine(), nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.state {
        case .idle:
            context.fireChannelRead(data)
        case .broken:
            break
        case .armed(let machine, let held):
            var buffer = self.unwrapInboundIn(data)
            if var whole = held {
                self.state = .idle
                whole.writeBuffer(&buffer)
                buffer = whole
            }
            self.read(buffer, machine, context)
        }
    }

    /// Looks at the heads that a buffer begins with; the rest of it passes.
    private func read(
        _ buffer: ByteBuffer,
        _ machine: FramingMachine,
        _ context: ChannelHandlerContext
    ) {
        var (buffer, machine) = (buffer, machine)
        while true {
            switch buffer.withUnsafeReadableBytes({ machine.look(at: $0) }) {
            case .incomplete:
                self.state = .armed(machine, buffer.readableBytes > 0 ? buffer : nil)
                return
            case .foreign:
                self.state = .idle
                context.fireChannelRead(self.wrapInboundOut(buffer))
                return
            case .head(_, .refused(let field), _):
                self.state = .broken
                context.fireErrorCaught(
                    HTTPTransportError(.malformed, "\(field), which contradicts itself")
                )
                return
            case .head(let count, .rewritten(let head), let isInterim):
                buffer.moveReaderIndex(forwardBy: count)
                self.pass(context.channel.allocator.buffer(bytes: head), isInterim, context)
                if !isInterim { return self.pass(buffer, false, context) }
            case .head(_, .none, isInterim: false):
                return self.pass(buffer, false, context)
            case .head(let count, .none, isInterim: true):
                guard let head = buffer.readSlice(length: count) else { return }
                self.pass(head, true, context)
            }
            // The parser may have closed the connection.
            guard case .armed = self.state else { return }
        }
    }

    private func pass(
        _ buffer: ByteBuffer,
        _ isInterim: Bool,
        _ context: ChannelHandlerContext
    ) {
        self.state = isInterim ? .armed(FramingMachine(), nil) : .idle
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
        guard case .armed(_, let held) = self.state else { return }
        self.state = .idle
        if let held { context.fireChannelRead(self.wrapInboundOut(held)) }
    }
}
