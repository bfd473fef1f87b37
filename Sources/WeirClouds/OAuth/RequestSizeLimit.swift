// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import NIOCore

/// Closes a connection that sends more than a browser does.
final class RequestSizeLimit: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Room for a long query and a drawer of cookies.
    static let limit = 64 * 1024

    private var received = 0

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        self.received += self.unwrapInboundIn(data).readableBytes
        guard self.received <= Self.limit else {
            context.close(promise: nil)
            return
        }
        context.fireChannelRead(data)
    }
}
