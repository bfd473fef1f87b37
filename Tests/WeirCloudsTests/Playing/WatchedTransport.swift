// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirTestKit

/// A real transport that tells how many requests wait for their answers.
struct WatchedTransport: HTTPTransport {
    let base: AsyncHTTPClientTransport
    let pending = Watched(0)

    init() throws {
        self.base = try AsyncHTTPClientTransport(.init(proxies: ProxySettings.none))
    }

    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse {
        self.pending.update { $0 += 1 }
        defer { self.pending.update { $0 -= 1 } }
        return try await self.base.send(request)
    }
}
