// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// Lets the end of a connection wait behind the bytes that came before it.
///
/// When an origin closes, NIO delivers at once all that the socket holds, whether it was asked for or
/// not, and then the end; the client drops what its consumer has not yet taken and fails the request.
/// Bytes that came would be fetched again, and an origin that sends a little and closes would never get
/// any further. So the connection stays half open at its end, and this handler, behind the decoder, hands
/// everything on one read at a time, as the client asks for it; the end comes last.
///
/// The held parts are bounded by the socket's receive buffer.
///
/// A status below 100 is none (RFC 9110 §15), and the client traps at one: here it is an error, and nothing behind it is
/// handed on.
final class ReadGate: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias InboundOut = HTTPClientResponsePart
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    private enum Event {
        case part(HTTPClientResponsePart)
        case readCompleted
        case error(any Error)
        case inputClosed
    }

    private var held = CircularBuffer<Event>()
    /// Whether a read was asked for that has not come to its end.
    private var isReadWanted = true
    /// Whether that read has brought anything; one that has not goes on.
    private var hasRead = false
    private var isReleaseScheduled = false
    /// Whether a head came that is none.
    private var isBroken = false

    private var isOpen: Bool { self.isReadWanted && self.held.isEmpty }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !self.isBroken else { return }
        if case .head(let head) = self.unwrapInboundIn(data), head.status.code < 100 {
            self.isBroken = true
            return self.errorCaught(context: context, error: HTTPParserError.invalidStatus)
        }
        guard self.isOpen else {
            self.held.append(.part(self.unwrapInboundIn(data)))
            return
        }
        self.hasRead = true
        context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        guard self.isOpen else {
            self.held.append(.readCompleted)
            return
        }
        if self.hasRead { self.isReadWanted = false }
        self.hasRead = false
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard self.isOpen else {
            self.held.append(.error(error))
            return
        }
        context.fireErrorCaught(error)
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case ChannelEvent.inputClosed = event else {
            context.fireUserInboundEventTriggered(event)
            return
        }
        guard self.isOpen else {
            self.held.append(.inputClosed)
            // A read that brought bytes and the end with them is the channel's last: the client would not ask for the end.
            context.channel.read()
            return
        }
        self.forward(.inputClosed, context)
    }

    func channelInactive(context: ChannelHandlerContext) {
        while let event = self.held.popFirst() { self.forward(event, context) }
        context.fireChannelInactive()
    }

    func read(context: ChannelHandlerContext) {
        self.isReadWanted = true
        guard !self.held.isEmpty else {
            context.read()
            return
        }
        guard !self.isReleaseScheduled else { return }
        self.isReleaseScheduled = true
        // Not from within the client's call, which does not expect to be called back.
        let release = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.execute {
            let (gate, context) = release.value
            gate.release(context)
        }
    }

    /// Hands on what one read would have brought.
    private func release(_ context: ChannelHandlerContext) {
        self.isReleaseScheduled = false
        while let event = self.held.popFirst() {
            guard case .readCompleted = event else {
                self.forward(event, context)
                continue
            }
            self.isReadWanted = false
            self.forward(event, context)
            // The channel asks for the next read only after one of its own.
            context.channel.read()
            return
        }
    }

    private func forward(_ event: Event, _ context: ChannelHandlerContext) {
        switch event {
        case .part(let part):
            context.fireChannelRead(self.wrapInboundOut(part))
        case .readCompleted:
            context.fireChannelReadComplete()
        case .error(let error):
            context.fireErrorCaught(error)
        case .inputClosed:
            context.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            context.close(promise: nil)
        }
    }
}
