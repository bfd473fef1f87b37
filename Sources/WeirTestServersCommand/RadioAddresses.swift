// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirTestServers

/// The first line of output of a station.
struct RadioAddresses: Encodable {
    let station: String
    let stream: String
    let pls: String
    let m3u: String
    let control: String?

    init(of server: RadioServer) {
        self.station = server.url
        self.stream = server.streamURL
        self.pls = server.plsURL
        self.m3u = server.m3uURL
        self.control = server.controlURL
    }
}
