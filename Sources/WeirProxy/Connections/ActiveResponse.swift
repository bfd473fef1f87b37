// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
package import WeirSource

/// A response that is being sent to a player, for a program to show.
package struct ActiveResponse: Sendable {
    /// The request's number.
    package let id: ConnectionRequestID
    /// The source that is read.
    package let source: any ByteSource
    /// The bytes of the source that the whole response consists of; an empty range for a stream of
    /// unknown length.
    package let body: Range<Int64>
    /// How many bytes of the body the operating system has accepted for sending.
    package let sentByteCount: Int64
}

extension ProxyServer {
    /// The responses that are being sent now, except responses for pages.
    ///
    /// Visits every connection on its event loop, so the cost grows with the number of connections.
    package func activeResponses() async -> [ActiveResponse] {
        let loops = Dictionary(grouping: self.service.registry.connections) {
            ObjectIdentifier($0.eventLoop)
        }
        var found: [ActiveResponse] = []
        for connections in loops.values {
            guard let loop = connections.first?.eventLoop else { continue }
            let answers = loop.submit { connections.compactMap { $0.value.activeResponse } }
            found += (try? await answers.get()) ?? []
        }
        return found
    }
}

extension ConnectionHandler {
    /// The response of this connection; `nil` before its head, for pages, and for a status outside
    /// of 200 to 299.
    fileprivate var activeResponse: ActiveResponse? {
        guard let exchange, let source = exchange.source, let status = exchange.status,
            (200..<300).contains(status)
        else { return nil }
        return ActiveResponse(
            id: exchange.id,
            source: source,
            body: exchange.body,
            sentByteCount: exchange.sentByteCount
        )
    }
}
