// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirHTTP
public import WeirLive
public import WeirSource

/// The way to a radio station on the web, for a `Station`.
///
/// It asks for titles, reads what stations of every kind answer, follows redirects from the first address on each time,
/// and keeps the user's headers on the origin that the user named.
///
/// A line over a transport of its own holds it for as long as it lives; when the line goes, and with it the station,
/// what is left of connections is closed. ``close()`` does so at once, and waits for it.
public final class RadioTransport: StationTransport {
    /// How the station is called in sentences; no query and no credential is in it.
    public let display: String

    private let caller: StationCaller
    private let endTransport: @Sendable () async -> Void

    /// A line over a transport that is somebody else's to end.
    ///
    /// - Parameters:
    ///   - url: the station's address.
    ///   - headers: what the station's own origin is to be told; never stored.
    ///   - transport: sends the requests, beside others; a station takes one connection for as long as it plays.
    ///   - observer: is told of requests, answers, redirects and bytes.
    public init(
        url: OriginURL,
        headers: HTTPHeaderList = HTTPHeaderList(),
        transport: any HTTPTransport,
        observer: SourceObserver? = nil
    ) {
        self.caller = StationCaller(
            url: url,
            headers: headers,
            transport: transport,
            observer: observer
        )
        self.display = self.caller.display
        self.endTransport = {}
    }

    /// A line over a transport of its own.
    ///
    /// - Parameters:
    ///   - address: an `http`, `https` or `icy` address, of a host alone, too: `http://radio.example:8000`.
    ///   - headers: what the station's own origin is to be told, one `Name: value` each; never stored.
    ///   - options: certificates and proxies.
    /// - Throws: `SourceError` with `invalidRequest` for an address, a header or a certificate file that is of no use.
    public init(
        _ address: String,
        headers: [String] = [],
        options: AsyncHTTPClientTransport.Options = AsyncHTTPClientTransport.Options()
    ) throws(SourceError) {
        let url = try OriginURL(station: address)
        let list = try HTTPHeaderList(parsing: headers)
        let transport = try AsyncHTTPClientTransport(options)
        self.caller = StationCaller(url: url, headers: list, transport: transport)
        self.display = self.caller.display
        self.endTransport = { await transport.shutdown() }
    }

    /// Calls the station, or an entry of its playlist, anew.
    ///
    /// - Parameter target: which of them.
    /// - Returns: the answer; its body is to be pulled, or dropped.
    /// - Throws: `SourceError` as ``/WeirHTTP/StationCaller/call(_:)`` says, its cause a `StationPatience` where the
    ///   server says how long it wants to be left alone; `CancellationError`.
    public func connect(to target: StationTarget) async throws -> StationAnswer {
        let called: StationCaller.Target =
            switch target {
            case .station: .station
            case .entry(let entry): .entry(entry)
            }
        let reply = try await self.call(called)
        return StationAnswer(
            fields: reply.headers.headers.map { ($0.name, $0.value) },
            mediaType: reply.mediaType,
            display: reply.display,
            body: RadioBody(reply.stream)
        )
    }

    private func call(_ target: StationCaller.Target) async throws -> StationReply {
        do {
            return try await self.caller.call(target)
        } catch var error as SourceError {
            if let busy = error.cause as? StationBusy {
                error.cause = StationPatience(delay: busy.delay)
            }
            throw error
        }
    }

    /// Ends the line's own transport, and the connections over it; a station on it can no longer be heard.
    ///
    /// A line over another's transport is not changed. Any number of times.
    public func close() async {
        await self.endTransport()
    }
}

extension HTTPHeaderList {
    /// Reads fields, one `Name: value` each.
    init(parsing texts: [String]) throws(SourceError) {
        self.init()
        for text in texts { self.append(try HTTPHeader(parsing: text)) }
    }
}
