// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirLive
import WeirNIOTransport
import WeirSource

/// A station transport with its own connections, which a test closes.
final class OwnedStation: StationTransport {
    private let station: HTTPStationTransport
    private let transport: NIOTransport

    init(
        _ address: String,
        headers: [String] = [],
        options: NIOTransport.Options = NIOTransport.Options()
    ) throws {
        let url = try OriginURL(station: address)
        let headers = try HTTPHeaderList(parsing: headers)
        self.transport = try NIOTransport(options)
        self.station = HTTPStationTransport(url: url, headers: headers, transport: self.transport)
    }

    var display: String { self.station.display }

    func connect(to target: StationTarget) async throws -> StationAnswer {
        try await self.station.connect(to: target)
    }

    func close() async {
        await self.transport.shutdown()
    }
}
