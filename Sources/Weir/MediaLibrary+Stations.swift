// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirHTTP
public import WeirLive
public import WeirSource

extension MediaLibrary {
    /// A radio station by its address, over the library's own transport.
    ///
    /// Its requests and bytes are counted with the library's. Nothing of it is in the cache, and the library's limit of
    /// speed does not go for it, since a stream that is slowed down is a stream that is lost. It is the caller's to
    /// close, before the library, whose end is the end of its connection.
    ///
    /// - Parameters:
    ///   - address: an `http`, `https` or `icy` address of a stream or of a playlist, of a host alone, too.
    ///   - name: what the station is called, for people; `nil`: its address, without what may be secret.
    ///   - headers: what the station's own origin is to be told beside the library's headers, one `Name: value` each;
    ///     never stored.
    ///   - options: how it is kept.
    /// - Returns: a station of its own; nothing is asked before the first listener.
    /// - Throws: `SourceError` with `invalidRequest` for an address or a header that cannot be used, `offline` if the
    ///   library is to ask no server.
    public func station(
        _ address: String,
        name: String? = nil,
        headers: [String] = [],
        options: StationOptions = StationOptions()
    ) throws(SourceError) -> Station {
        let transport = try self.stationTransport(address, headers: headers)
        return Station(name: name ?? transport.display, transport: transport, options: options)
    }

    /// What connects to a radio station over the library's own HTTP transport.
    ///
    /// - Parameters:
    ///   - address: as ``station(_:name:headers:options:)`` takes it.
    ///   - headers: as ``station(_:name:headers:options:)`` takes them.
    /// - Returns: the transport; nothing is asked yet.
    /// - Throws: `SourceError` with `invalidRequest` or `offline`.
    public func stationTransport(_ address: String, headers: [String] = []) throws(SourceError)
        -> HTTPStationTransport
    {
        let url = try OriginURL(station: address)
        guard !self.configuration.isOffline else {
            throw SourceError(
                .offline,
                "\(url.display) was not asked, because the library is offline and a station cannot be kept; play it"
                    + " without the option.",
                host: url.authority
            )
        }
        var list = self.configuration.origin.headers
        for header in try HTTPHeaderList(parsing: headers).headers { list.append(header) }
        return HTTPStationTransport(
            url: url,
            headers: list,
            transport: self.transport,
            observer: self.observer
        )
    }
}

extension Station {
    /// A radio station by its address, over a connection of its own.
    ///
    ///     let station = try Station(address: "http://radio.example:8000/live")
    ///     let listener = station.listen()
    ///     while let piece = try await listener.next() { … }
    ///
    /// Nothing is asked before the first listener. An application that has a library asks it for its stations: they share
    /// its certificates, proxies and counts.
    ///
    /// - Parameters:
    ///   - address: an `http`, `https` or `icy` address of a stream or of a playlist, of a host alone, too.
    ///   - name: what the station is called, for people; `nil`: its address, without what may be secret.
    ///   - headers: what the station's own origin is to be told, one `Name: value` each; never stored.
    ///   - options: how it is kept.
    ///   - transport: certificates and proxies.
    /// - Throws: `SourceError` with `invalidRequest` for an address, a header or a certificate file that is of no use.
    public convenience init(
        address: String,
        name: String? = nil,
        headers: [String] = [],
        options: StationOptions = StationOptions(),
        transport: AsyncHTTPClientTransport.Options = AsyncHTTPClientTransport.Options()
    ) throws(SourceError) {
        let transport = try HTTPStationTransport(address, headers: headers, options: transport)
        self.init(name: name ?? transport.display, transport: transport, options: options)
    }
}
