// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirHTTP
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
    /// - Returns: a station of its own; nothing is asked before somebody listens.
    /// - Throws: `SourceError` with `invalidRequest` for an address or a header that cannot be used, `offline` if the
    ///   library is to ask nobody.
    public func station(
        _ address: String,
        name: String? = nil,
        headers: [String] = [],
        options: StationOptions = StationOptions()
    ) throws(SourceError) -> Station {
        let line = try self.radioLine(address, headers: headers)
        return Station(name: name ?? line.display, transport: line, options: options)
    }

    /// The way to a radio station over the library's own transport.
    ///
    /// - Parameters:
    ///   - address: as ``station(_:name:headers:options:)`` takes it.
    ///   - headers: as ``station(_:name:headers:options:)`` takes them.
    /// - Returns: a line; nothing is asked yet.
    /// - Throws: `SourceError` with `invalidRequest` or `offline`.
    public func radioLine(_ address: String, headers: [String] = []) throws(SourceError)
        -> RadioTransport
    {
        let url = try OriginURL(station: address)
        guard !self.options.isOffline else {
            throw SourceError(
                .offline,
                "\(url.display) was not asked, because the library is offline and a station cannot be kept; play it"
                    + " without the option.",
                host: url.authority
            )
        }
        var list = self.options.origin.headers
        for header in try HTTPHeaderList(parsing: headers).headers { list.append(header) }
        return RadioTransport(
            url: url,
            headers: list,
            transport: self.transport,
            observer: self.observer
        )
    }
}
