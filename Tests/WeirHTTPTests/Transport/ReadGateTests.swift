// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing

@testable import WeirHTTP

@Suite("The gate between a connection and the client")
struct ReadGateTests {
    /// Takes a part at a time, as the client does: a read is passed on when the consumer has asked for more.
    private final class Client: ChannelDuplexHandler {
        typealias InboundIn = HTTPClientResponsePart
        typealias InboundOut = Never
        typealias OutboundIn = HTTPClientRequestPart
        typealias OutboundOut = HTTPClientRequestPart

        var parts = 0
        var isClosed = false
        private var isReadPending = false
        private var context: ChannelHandlerContext?

        func handlerAdded(context: ChannelHandlerContext) { self.context = context }
        func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }
        func read(context: ChannelHandlerContext) { self.isReadPending = true }
        func channelRead(context: ChannelHandlerContext, data: NIOAny) { self.parts += 1 }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            if case ChannelEvent.inputClosed = event { self.isClosed = true }
        }

        /// The consumer wants more.
        func demand() {
            guard self.isReadPending else { return }
            self.isReadPending = false
            self.context?.read()
        }
    }

    @Test("an end that comes in one read with the last bytes is told when they have been taken")
    func endWithBytes() throws {
        let client = Client()
        let channel = EmbeddedChannel()
        let pipeline = channel.pipeline.syncOperations
        try pipeline.addHandler(ReadGate())
        try pipeline.addHandler(client)
        let part = HTTPClientResponsePart.body(ByteBuffer(string: "bytes"))

        // What NIO does when the last bytes and the end are read at once: no read of its own follows.
        channel.pipeline.fireChannelRead(part)
        channel.pipeline.fireChannelReadComplete()
        channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
        #expect(client.parts == 1 && !client.isClosed)

        client.demand()
        channel.embeddedEventLoop.run()
        #expect(client.isClosed)
        _ = try? channel.finish()
    }
}
