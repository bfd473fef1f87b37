// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Decides, without a connection, where the requests for a station may go and which fields they
/// carry.
///
/// The user's headers stay on the origin that the user named, as ``OriginExchange/Target`` says.
/// The same is true from a playlist to its entries. A redirect from https to http is followed only
/// if the user gave no secret header. Many stations are announced over https and sent over http.
/// Their sound is public, and without a secret header the request reveals nothing about the user.
/// With a secret header, the redirect is refused, as for any other origin.
///
/// An entry of a playlist may always be http. The playlist names the entry, so no redirect leads to
/// it, and its requests contain no headers of another origin.
struct StationRoute: Sendable {
    /// The station's own address.
    let start: OriginExchange.Target
    /// The user's fields for the station's own origin.
    let headers: HTTPHeaderList
    /// The user and the password of the address, for a station that asks for Digest.
    let password: PasswordAuthorizer?

    /// Fields that reveal nothing about the listener.
    private static let anonymous: Set<String> = [
        "accept", "accept-language", "user-agent", "referer", "origin", "cache-control", "pragma",
    ]
    /// The field that asks a station for titles; it also allows the response of an old server.
    static let titlesHeader = "Icy-MetaData"
    /// Fields that a request for a stream never carries: the stream comes uncoded, and starts at
    /// the present.
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
        // Station servers send pages to browsers; the user's own `User-Agent` may go everywhere.
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
    ///   - location: the `Location` of the response.
    ///   - current: the target that sent the redirect.
    /// - Returns: the next target.
    /// - Throws: `badAnswer` for an address that cannot be requested, `insecure` for one that loses
    ///   TLS.
    func redirect(to location: String, from current: OriginExchange.Target) throws(SourceError)
        -> OriginExchange.Target
    {
        guard self.keepsSecrets else {
            return current.moved(to: try current.url.resolving(location.asHTTP))
        }
        return try current.redirected(to: location.asHTTP)
    }

    /// The target of an entry of a playlist.
    ///
    /// - Parameters:
    ///   - entry: the entry as written in the playlist.
    ///   - playlist: the target of the playlist.
    /// - Returns: the target.
    /// - Throws: `badAnswer` for an address that cannot be requested.
    func entry(_ entry: String, of playlist: OriginExchange.Target) throws(SourceError)
        -> OriginExchange.Target
    {
        playlist.moved(to: try playlist.url.resolving(entry.asHTTP))
    }

    /// An address in a form that may be shown: the user's own address with its path, any other
    /// without.
    ///
    /// The targets of redirects and playlists are often secret, also on the same host.
    func shown(_ target: OriginExchange.Target) -> String {
        target.url == self.start.url
            ? target.url.display : "\(target.url.scheme.rawValue)://\(target.url.authority)/…"
    }

    /// An address for the message about an endless chain of redirects, which needs the path.
    ///
    /// On the station's own origin it is shown without its query, as in ``OriginExchange``.
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
    /// Works like ``init(_:)``, but a host without a path means its root (`http://host:8000`),
    /// since many stations have no path. `icy://` means `http://`.
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
    /// The address with `http` in place of the scheme `icy`, which players of stations use.
    var asHTTP: String {
        let mark = "icy://"
        let text = self.drop(while: \.isWhitespace)
        guard text.prefix(mark.count).lowercased() == mark else { return self }
        return "http://\(text.dropFirst(mark.count))"
    }
}
