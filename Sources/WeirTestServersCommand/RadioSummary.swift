// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestServers

/// The last line of output of a station.
struct RadioSummary: Encodable {
    let requests: Int
    /// How many bytes of sound each connection was sent.
    let audio: [Int64]

    init(of server: RadioServer) {
        let record = server.record
        self.requests = record.count
        self.audio = record.map(\.audioBytesSent)
    }
}
