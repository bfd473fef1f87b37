// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import NIOCore
package import WeirSource

/// A response that is on its way to a player, as a program shows it.
package struct ActiveResponse: Sendable {
    /// The request's number.
    package let id: RequestID
    /// What is read.
    package let source: any ByteSource
    /// The bytes of the source that it has; an empty range for a stream whose end is not known.
    package let body: Range<Int64>
    /// How many bytes the system has taken.
    package let sentByteCount: Int64
}

extension ProxyServer {
    /// The responses that are on their way now; those of pages are not among them.
    ///
    /// Asks each event loop, so that it costs the more the more connections are being served.
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
    /// What is on its way; `nil` before its head has been written.
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
