// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Stands before the decoder and takes plain requests past it, straight to the connection.
///
/// The first bytes that are not one whole plain request go to the decoder, and so does everything
/// that follows on the connection: the two never have to agree on where a request begins.
final class PlainRequestReader: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let connection: ConnectionHandler
    private var isOver = false

    init(for connection: ConnectionHandler) {
        self.connection = connection
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if !self.isOver {
            let head = self.unwrapInboundIn(data).withUnsafeReadableBytes(PlainRequestParser.parse)
            if let head { return self.connection.received(head) }
            self.isOver = true
        }
        context.fireChannelRead(data)
    }
}

@available(*, unavailable)
extension PlainRequestReader: Sendable {}
