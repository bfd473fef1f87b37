// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// Writes the request line's target byte for byte as the address has it.
///
/// The client takes a URL of Foundation's, which mends what it finds unusual and so breaks signed
/// links. It is given the bare site instead, and the target in a header that never leaves this handler.
final class RequestTargetHandler: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    static let header = "Weir-Request-Target"

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .head(var head) = self.unwrapOutboundIn(data),
            let target = head.headers.first(name: Self.header)
        {
            head.uri = target
            head.headers.remove(name: Self.header)
            context.write(self.wrapOutboundOut(.head(head)), promise: promise)
        } else {
            context.write(data, promise: promise)
        }
    }
}
