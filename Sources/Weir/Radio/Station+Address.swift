// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirHTTP
public import WeirLive
public import WeirSource

extension Station {
    /// A radio station by its address, over a connection of its own.
    ///
    ///     let station = try Station(address: "http://radio.example:8000/live")
    ///     let listener = station.listen()
    ///     while let piece = try await listener.next() { … }
    ///
    /// Nothing is asked before somebody listens. An application that has a library asks it for its stations: they share
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
        let line = try RadioTransport(address, headers: headers, options: transport)
        self.init(name: name ?? line.display, transport: line, options: options)
    }
}
