// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
import WeirHTTP

/// Fails a connection to an address that the rule of its endpoint forbids, before a packet is sent.
///
/// Each address that a host has passes the gate by itself, so a name that is looked up again gives no way around it.
final class AddressGate: ChannelOutboundHandler, RemovableChannelHandler, Sendable {
    typealias OutboundIn = ByteBuffer

    private let endpoint: Endpoint

    init(_ endpoint: Endpoint) {
        self.endpoint = endpoint
    }

    func connect(
        context: ChannelHandlerContext,
        to address: SocketAddress,
        promise: EventLoopPromise<Void>?
    ) {
        do throws(HTTPTransportError) {
            try self.endpoint.rule.check(
                NetworkScope(address),
                host: self.endpoint.host,
                port: self.endpoint.port
            )
            context.connect(to: address, promise: promise)
        } catch {
            promise?.fail(error)
        }
    }
}

extension NetworkScope {
    /// The scope of a socket's address; ``local`` for one that is not of the internet protocols.
    fileprivate init(_ address: SocketAddress) {
        self = address.withSockAddr { pointer, size in
            NetworkScope(socketAddress: UnsafeRawBufferPointer(start: pointer, count: size))
        }
    }
}
