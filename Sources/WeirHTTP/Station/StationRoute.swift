// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Where the requests for a station may go, and what goes along: decided without a connection.
///
/// The user's headers stay on the origin that the user named, as ``OriginExchange/Target`` says, also from a playlist to its
/// entries. From https to http a redirect is followed only if the user gave nothing that is to be kept from others:
/// many stations are announced over https and sent over http, their sound is public, and without headers nothing of
/// the user's goes along. With headers it is refused as everywhere. An entry of a playlist may be http in any case: it
/// is what the playlist says, not where the request was sent on to, and gets no header of another origin.
struct StationRoute: Sendable {
    /// The station's own address.
    let start: OriginExchange.Target
    /// What the user wants to be sent to the station's own origin.
    let headers: HTTPHeaderList
    /// The user and the password of the address, for a station that wants them as Digest.
    let password: PasswordAuthorizer?

    /// Fields that tell nothing of the listener.
    private static let anonymous: Set<String> = [
        "accept", "accept-language", "user-agent", "referer", "origin", "cache-control", "pragma",
    ]
    /// Asks a station for its titles, and says that an answer may be an old server's.
    static let titlesHeader = "Icy-MetaData"
    /// Fields that a stream is never asked with: it is had as it is, and from now on.
    private static let unwanted = [
        "Accept-Encoding", "Range", "If-Range", titlesHeader,
    ]

    init(_ url: OriginURL, headers: HTTPHeaderList) {
        self.start = OriginExchange.Target(url: url, isTrusted: true)
        var headers = headers
        for name in Self.unwanted { headers.remove(name) }
        if !headers.contains("Authorization"), let user = url.userInfo {
            headers.append("Authorization", user.basicCredentials, readIn: "its address")
            self.password = PasswordAuthorizer(user)
        } else {
            self.password = nil
        }
        self.headers = headers
    }

    /// The fields of a request.
    func fields(to target: OriginExchange.Target) -> HTTPHeaderList {
        var list = target.isTrusted ? self.headers : HTTPHeaderList()
        // Servers of stations give pages to what looks like a browser; the user's own name may go everywhere.
        if !list.contains("User-Agent") {
            list.append("User-Agent", self.headers["User-Agent"] ?? HTTPOrigin.userAgent)
        }
        if !list.contains("Accept") { list.append("Accept", "*/*") }
        list.append(Self.titlesHeader, "1")
        return list
    }

    /// The target of a redirect.
    ///
    /// - Parameters:
    ///   - location: what the answer says.
    ///   - current: the target that answered so.
    /// - Returns: the next target.
    /// - Throws: `badAnswer` for an address that cannot be asked, `insecure` for one that loses TLS.
    func redirect(to location: String, from current: OriginExchange.Target) throws(SourceError)
        -> OriginExchange.Target
    {
        guard self.keepsSecrets else {
            return current.moved(to: try current.url.resolving(location.asHTTP))
        }
        return try current.redirected(to: location.asHTTP)
    }

    /// The target that an entry of a playlist means.
    ///
    /// - Parameters:
    ///   - entry: as it is written in the playlist.
    ///   - playlist: where the playlist was had.
    /// - Returns: the target.
    /// - Throws: `badAnswer` for an address that cannot be asked.
    func entry(_ entry: String, of playlist: OriginExchange.Target) throws(SourceError)
        -> OriginExchange.Target
    {
        playlist.moved(to: try playlist.url.resolving(entry.asHTTP))
    }

    /// An address as it may be shown: whole if it is the user's own; where a redirect or a playlist leads is often a
    /// secret, on the same host, too.
    func shown(_ target: OriginExchange.Target) -> String {
        target.url == self.start.url
            ? target.url.display : "\(target.url.scheme.rawValue)://\(target.url.authority)/…"
    }

    /// An address in the sentence about a chain that leads nowhere, which helps only with its path: on the station's own
    /// origin it is shown without its query, as ``OriginExchange`` shows it.
    func told(_ target: OriginExchange.Target) -> String {
        target.isTrusted ? target.url.display : self.shown(target)
    }

    private var keepsSecrets: Bool {
        self.headers.headers.contains { !Self.anonymous.contains($0.name.lowercased()) }
    }
}

extension OriginURL {
    /// Reads the address of a radio station.
    ///
    /// As ``init(_:)`` does, but a host alone means its root, `http://host:8000`, since many stations have no path; and
    /// `icy://` means `http://`.
    ///
    /// - Parameter text: `http://…`, `https://…` or `icy://…` with a host.
    /// - Throws: `SourceError` with `invalidRequest`.
    public init(station text: String) throws(SourceError) {
        let text = text.asHTTP
        let parts = URLReference(text)
        guard parts.path.isEmpty, let authority = parts.authority,
            let scheme = parts.scheme.flatMap({ Scheme(rawValue: $0.lowercased()) })
        else {
            try self.init(text)
            return
        }
        let site = try URLAuthority(authority)
        try self.init(
            scheme: scheme,
            site: site,
            path: "/",
            query: parts.query,
            userInfo: site.userInfo
        )
    }
}

extension String {
    /// The address with the scheme that players of stations write as `icy` written as what it is.
    var asHTTP: String {
        let mark = "icy://"
        let text = self.drop(while: \.isWhitespace)
        guard text.prefix(mark.count).lowercased() == mark else { return self }
        return "http://\(text.dropFirst(mark.count))"
    }
}
