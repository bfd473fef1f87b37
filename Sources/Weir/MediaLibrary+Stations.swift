// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import WeirHTTP
public import WeirLive
public import WeirSource

extension MediaLibrary {
    /// A radio station by its address, over the library's own transport.
    ///
    ///     let station = try library.station(url)
    ///     player.play(station)
    ///
    /// Its requests and bytes are counted with the library's. Nothing of it is in the cache, and the library's limit of
    /// speed does not go for it, since a stream that is slowed down is a stream that is lost. It is the caller's to
    /// close, before the library, whose end is the end of its connection.
    ///
    /// - Parameters:
    ///   - url: an `http`, `https` or `icy` address of a stream or of a playlist, of a host alone, too.
    ///   - name: what the station is called, for people; `nil`: its address, without what may be secret.
    ///   - headers: what the station's own origin is told beside the library's headers, by the field's name; never
    ///     stored.
    ///   - options: how it is kept.
    /// - Returns: a station of its own; nothing is asked before the first listener.
    /// - Throws: `SourceError` with `invalidRequest` for an address or a header that cannot be used, `offline` if the
    ///   library is to ask no server.
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

    /// What connects to a radio station over the library's own HTTP transport for stations.
    ///
    /// - Parameters:
    ///   - url: of a stream or of a playlist.
    ///   - headers: what the station's own origin is told beside the library's headers.
    /// - Returns: the transport; nothing is asked yet.
    /// - Throws: `SourceError` with `offline`.
    package func stationTransport(
        _ url: OriginURL,
        headers: HTTPHeaderList
    ) throws(SourceError) -> HTTPStationTransport {
        guard !self.configuration.isOffline else {
            throw SourceError(
                .offline,
                "\(url.display) was not asked, because the library is offline and a station cannot be kept; play it"
                    + " without the option.",
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
