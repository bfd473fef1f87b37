// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
import WeirSource

/// Addresses of stations, which often are a host and no more.
enum StationAddress {
    /// Reads an address, `icy://` among them; one without a path means the root of its host.
    ///
    /// - Throws: `SourceError` with `invalidRequest`.
    static func parse(_ text: String) throws(SourceError) -> ConfiguredURL {
        ConfiguredURL(text: Self.withPath(text), url: try OriginURL(station: text))
    }

    /// The address with a path.
    static func withPath(_ text: String) -> String {
        guard let start = text.firstRange(of: "://")?.upperBound else { return text }
        guard let end = text[start...].firstIndex(where: { "/?#".contains($0) }) else {
            return "\(text)/"
        }
        return text[end] == "/" ? text : "\(text[..<end])/\(text[end...])"
    }
}
