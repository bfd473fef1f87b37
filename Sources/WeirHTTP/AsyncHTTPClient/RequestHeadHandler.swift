// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import NIOHTTP1

/// Writes the request line's target byte for byte as the address has it, and arms the handlers before the parser: that of
/// framing for every answer, that of stations' heads for the answer to a request that asks for titles.
///
/// The client takes a URL of Foundation's, which changes unusual addresses and so breaks signed
/// links. It is given the bare site instead, and the target in a header that never leaves this handler.
final class RequestHeadHandler: ChannelOutboundHandler {
    typealias OutboundIn = HTTPClientRequestPart
    typealias OutboundOut = HTTPClientRequestPart

    static let targetHeader = "Weir-Request-Target"

    private let stationHeads: StationHeadHandler
    private let framing: FramingHandler

    init(_ stationHeads: StationHeadHandler, _ framing: FramingHandler) {
        self.stationHeads = stationHeads
        self.framing = framing
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        guard case .head(var head) = self.unwrapOutboundIn(data) else {
            return context.write(data, promise: promise)
        }
        self.framing.requestSent()
        if head.headers.contains(name: StationHeadHandler.header) { self.stationHeads.arm() }
        guard let target = head.headers.first(name: Self.targetHeader) else {
            return context.write(data, promise: promise)
        }
        head.uri = target
        head.headers.remove(name: Self.targetHeader)
        context.write(self.wrapOutboundOut(.head(head)), promise: promise)
    }
}
