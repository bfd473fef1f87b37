// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestServers

/// The last line of output.
struct ServerSummary: Encodable {
    /// How many requests each server had.
    private(set) var requests: [String: Int] = [:]
    /// How many bytes of bodies each server sent.
    private(set) var bytes: [String: Int64] = [:]
    let violations: [String]

    init(of server: YandexDiskServer) {
        self.violations = server.violations
        for request in server.record {
            self.requests[request.server, default: 0] += 1
            self.bytes[request.server, default: 0] += request.bodyBytesSent
        }
    }
}
