// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore

/// Puts a head before each frame; the content is not copied.
final class FrameEncoder: ChannelOutboundHandler {
    typealias OutboundIn = Frame
    typealias OutboundOut = ByteBuffer

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let (kind, content): (Frame.Kind, ByteBuffer) =
            switch self.unwrapOutboundIn(data) {
            case .message(let content): (.message, content)
            case .bytes(let content): (.bytes, content)
            }
        var head = context.channel.allocator.buffer(capacity: Frame.headLength)
        head.writeInteger(kind.rawValue)
        head.writeInteger(UInt32(content.readableBytes))
        context.write(self.wrapOutboundOut(head), promise: nil)
        context.write(self.wrapOutboundOut(content), promise: promise)
    }
}
