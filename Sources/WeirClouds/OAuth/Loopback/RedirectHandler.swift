// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(macOS) || os(Linux)
import NIOCore
import NIOHTTP1
import NIOPosix
import WeirSource

/// Handles the one request of a connection, and closes it.
final class RedirectHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    /// The longest lifetime of a connection: browsers open some in advance and never use them.
    static let patience = TimeAmount.seconds(10)

    private let path: String
    private let state: String
    private let ending: AsyncThrowingStream<AuthorizationAnswer, any Error>.Continuation
    private var reply: RedirectReply?
    private var isHead = false
    private var isAnswered = false
    private var timer: Scheduled<Void>?

    init(
        path: String,
        state: String,
        _ ending: AsyncThrowingStream<AuthorizationAnswer, any Error>.Continuation
    ) {
        self.path = path
        self.state = state
        self.ending = ending
    }

    func channelActive(context: ChannelHandlerContext) {
        let channel = context.channel
        self.timer = context.eventLoop.scheduleTask(in: Self.patience) {
            channel.close(promise: nil)
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        self.timer?.cancel()
        self.timer = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch self.unwrapInboundIn(data) {
        case .head(let head):
            guard !self.isAnswered else { return }
            self.isHead = head.method == .HEAD
            self.reply = RedirectReply(
                method: head.method.rawValue,
                target: head.uri,
                hosts: head.headers["Host"],
                path: self.path,
                state: self.state
            )
        case .body: break
        case .end:
            guard let reply = self.reply, !self.isAnswered else { return }
            self.isAnswered = true
            self.answer(reply, context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func answer(_ reply: RedirectReply, _ context: ChannelHandlerContext) {
        let body = ByteBuffer(string: reply.page.html)
        let head = HTTPResponseHead(
            version: .http1_1,
            status: HTTPResponseStatus(statusCode: reply.status),
            headers: [
                "Content-Type": "text/html; charset=utf-8",
                "Content-Length": "\(body.readableBytes)",
                "Cache-Control": "no-store",
                "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'",
                "Referrer-Policy": "no-referrer",
                "X-Content-Type-Options": "nosniff",
                "Connection": "close",
            ]
        )
        context.write(self.wrapOutboundOut(.head(head)), promise: nil)
        if !self.isHead {
            context.write(self.wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        let channel = context.channel
        let (ending, outcome) = (self.ending, reply.outcome)
        // The page is sent first: the caller may end the process once it has the outcome.
        context.writeAndFlush(self.wrapOutboundOut(.end(nil))).whenComplete { _ in
            channel.close(promise: nil)
            switch outcome {
            case .success(let answer):
                ending.yield(answer)
                ending.finish()
            case .failure(let failure): ending.finish(throwing: failure.sourceError)
            case nil: break
            }
        }
    }
}
#endif
