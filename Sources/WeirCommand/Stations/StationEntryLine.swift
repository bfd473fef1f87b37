// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirHTTP

/// A station of the user's as a line; no value of a header and no query of a URL is in it.
struct StationEntryLine: Encodable {
    var name: String
    var url: String
    /// The names of the headers.
    var headers: [String]?
    var charset: String?

    init(_ station: StationSettings) {
        self.name = station.name
        self.url = station.address.description
        let names =
            station.headers.headers.map(\.name) + station.environmentHeaders.map(\.name)
        self.headers = names.isEmpty ? nil : names
        self.charset = station.charset.map(CharsetOption.name)
    }

    /// The same for a person.
    ///
    /// - Parameters:
    ///   - station: which.
    ///   - width: how many cells the names of all take.
    /// - Returns: name and URL.
    static func text(_ station: StationSettings, width: Int) -> String {
        "\(CellWidth.fit(station.name, to: width))  \(PrintableText.line(station.address.description))"
    }
}
