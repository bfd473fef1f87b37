// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// One connection: assembles requests, and sends answers no faster than the client reads.
final class ServerConnection: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private static let bodyLimit = 1 << 20

    private let service: ServerService
    /// The request that is being received.
    private var incoming: (request: ServerRequest, staysOpen: Bool)?
    private var sending: Sending?

    init(_ service: ServerService) {
        self.service = service
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head):
            self.incoming = (
                ServerRequest(
                    method: head.method.rawValue,
                    target: head.uri,
                    fields: head.headers.map { HeaderField($0.name, $0.value) }
                ),
                head.isKeepAlive
            )
        case .body(let buffer):
            self.incoming?.request.body += buffer.readableBytesView
            if let count = self.incoming?.request.body.count, count > Self.bodyLimit {
                self.service.garbageCame(
                    "A request had a body of more than \(Self.bodyLimit) bytes."
                )
                self.incoming = nil
                context.close(promise: nil)
            }
        case .end:
            guard let incoming = self.incoming else { return }
            self.incoming = nil
            self.begin(incoming.request, staysOpen: incoming.staysOpen, context)
        }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        self.sendMore(context)
        context.fireChannelWritabilityChanged()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.end(context)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        if error is HTTPParserError, self.sending == nil {
            self.service.garbageCame("The received bytes are not HTTP: \(error).")
            let fields = HTTPHeaders([("Content-Length", "0"), ("Connection", "close")])
            let head = HTTPResponseHead(version: .http1_1, status: .badRequest, headers: fields)
            context.write(self.wrapOutboundOut(.head(head)), promise: nil)
            context.writeAndFlush(self.wrapOutboundOut(.end(nil)), promise: nil)
        }
        context.close(promise: nil)
    }

    // MARK: Sending

    private func begin(
        _ request: ServerRequest,
        staysOpen: Bool,
        _ context: ChannelHandlerContext
    ) {
        let (number, answer) = self.service.answer(request)
        let sending = Sending(
            number: number,
            answer: answer,
            isHeadOnly: request.method == "HEAD",
            staysOpen: staysOpen
        )
        self.sending = sending
        guard sending.answer.ending != .lost else {
            context.close(promise: nil)
            return
        }
        guard sending.answer.delay > 0 else {
            self.sendHead(sending, context)
            return
        }
        let connection = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.eventLoop.scheduleTask(in: .milliseconds(sending.answer.delay)) {
            let (handler, context) = connection.value
            guard handler.sending?.number == number, context.channel.isActive else { return }
            handler.sendHead(sending, context)
        }
    }

    private func sendHead(_ sending: Sending, _ context: ChannelHandlerContext) {
        let head = sending.head(now: self.service.now())
        // Flushed at once, so that the head does not wait for a body that may not come.
        context.writeAndFlush(self.wrapOutboundOut(.head(head)), promise: nil)
        self.sending?.hasBegun = true
        self.sendMore(context)
    }

    /// Writes while the channel is writable; the channel calls again when it becomes writable.
    private func sendMore(_ context: ChannelHandlerContext) {
        guard var sending, sending.hasBegun, !sending.isWriting else { return }
        self.sending?.isWriting = true
        var step = Sending.Step.wait
        while context.channel.isWritable {
            step = sending.next(now: self.service.now())
            guard case .write(let bytes) = step else { break }
            self.write(bytes, sending.number, context)
        }
        // A failed write ends the connection, and with it this answer. Otherwise a write calls only
        // `channelWritabilityChanged` of this handler, which sends nothing because of `isWriting`.
        guard self.sending?.number == sending.number else { return }
        sending.isWriting = false
        self.sending = sending
        switch step {
        case .write, .wait: break
        case .finish: self.finish(sending, context)
        case .close: context.close(promise: nil)
        }
    }

    private func write(_ bytes: [UInt8], _ number: Int, _ context: ChannelHandlerContext) {
        let (count, service) = (Int64(bytes.count), self.service)
        let buffer = context.channel.allocator.buffer(bytes: bytes)
        context.writeAndFlush(self.wrapOutboundOut(.body(.byteBuffer(buffer))))
            .whenSuccess { service.bytesLeft(number, count) }
    }

    private func finish(_ sending: Sending, _ context: ChannelHandlerContext) {
        let connection = NIOLoopBound((self, context), eventLoop: context.eventLoop)
        context.writeAndFlush(self.wrapOutboundOut(.end(nil)))
            .whenComplete { _ in
                let (handler, context) = connection.value
                guard handler.sending?.number == sending.number else { return }
                handler.end(context)
                if !sending.staysOpen { context.close(promise: nil) }
            }
    }

    private func end(_ context: ChannelHandlerContext) {
        guard let sending else { return }
        self.sending = nil
        self.service.ended(sending.number)
    }
}
