// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import WeirHTTP
public import WeirLive
public import WeirSource

extension MediaLibrary {
    /// A radio station by its URL, over the library's own transport.
    ///
    ///     let station = try library.station(url)
    ///     player.play(station)
    ///
    /// The library's counts include the requests and bytes of the station. The cache does not store
    /// the stream, and the library's speed limit does not apply: a slowed stream would break off.
    /// The caller must close the station before the library, because closing the library ends the
    /// station's connection.
    ///
    /// - Parameters:
    ///   - url: an `http`, `https` or `icy` URL of a stream or of a playlist; a host alone is
    ///     enough.
    ///   - name: the station's name for people; `nil`: its URL, without parts that may be secret.
    ///   - headers: headers for the station's own origin beside the library's headers, by field
    ///     name; never stored.
    ///   - options: the settings of the station.
    /// - Returns: a new station; it sends no request before its first listener.
    /// - Throws: `SourceError` with `invalidRequest` for a URL or a header that cannot be used,
    ///   `offline` if the library is offline.
    public func station(
        _ url: URL,
        name: String? = nil,
        headers: [String: String] = [:],
        options: StationOptions = StationOptions()
    ) throws(SourceError) -> Station {
        let transport = try self.stationTransport(
            OriginURL(station: url.absoluteString),
            headers: HTTPHeaderList(headers)
        )
        return Station(name: name ?? transport.display, transport: transport, options: options)
    }

    /// The transport to a radio station, over the library's own HTTP transport for stations.
    ///
    /// - Parameters:
    ///   - url: the URL of a stream or of a playlist.
    ///   - headers: headers for the station's own origin beside the library's headers.
    /// - Returns: the transport; it has sent no request yet.
    /// - Throws: `SourceError` with `offline`.
    package func stationTransport(
        _ url: OriginURL,
        headers: HTTPHeaderList
    ) throws(SourceError) -> HTTPStationTransport {
        guard !self.configuration.isOffline else {
            throw SourceError(
                .offline,
                "Weir did not connect to \(url.display), because the library is offline and the cache cannot keep a"
                    + " station; play it without the offline option.",
                host: url.authority
            )
        }
        return HTTPStationTransport(
            url: url,
            headers: self.sent(headers),
            transport: self.transports.stations,
            redirects: self.redirects,
            observer: self.observer
        )
    }
}
