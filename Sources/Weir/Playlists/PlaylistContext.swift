// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirClouds
package import WeirHTTP
import WeirLoader
import WeirSource

/// The settings that a playlist passes on to the items that it names.
struct PlaylistContext: Sendable {
    /// The address that the user named.
    let root: OriginURL
    /// All headers for the origin of the root.
    let headers: HTTPHeaderList
    /// Handles the user and the password in the root's address; `nil` without them.
    let authorizer: PasswordAuthorizer?
    /// The credentials of the user's sources for their own addresses.
    let credentials: @Sendable (OriginURL) -> PlaylistCredentials?
    /// The part of the cache that the items belong to, unless another credential fetches them.
    let scope: CacheScope
    let scopes: CacheScopes
    /// The policy of the root.
    let load: LoadPolicy
    let validator: ValidatorPolicy?
    /// Query parts that the user left out of all identities.
    let volatileQuery: Set<String>
    /// Which addresses the requests for items may be connected to.
    var sites: Set<ConnectionRule.Site>
    let hosts: Set<String>
    /// The identifiers of the playlists that led here, the root first.
    var ancestors: [String] = []
    /// The variables that the parent defines.
    var variables: [String: String] = [:]
    /// Whether the segments are subtitles.
    var isText = false

    /// The most playlists in a chain: a multivariant playlist, a media playlist, and two levels of interstitials.
    static let mostLevels = 4

    var rule: ConnectionRule { .internet(and: self.sites, hosts: self.hosts) }

    /// The headers for every origin: none but the program's name.
    var plainHeaders: HTTPHeaderList {
        var headers = HTTPHeaderList()
        if let name = self.headers.first(named: "User-Agent") { headers.append(name) }
        return headers
    }

    /// The headers and the authorizer for an address: credentials go to the origin that they are meant for, alone.
    func location(_ url: OriginURL, serial: Int) -> OriginLocation {
        var location = OriginLocation(url: url, serial: serial, hidesPath: false)
        if url.isSameOrigin(as: self.root) {
            location.headers = self.headers
            if let user = self.root.userInfo, let authorizer {
                location.authorize(user, by: authorizer)
            }
        } else {
            location.headers = self.plainHeaders
            if let own = self.credentials(url) { location.headers.replace(with: own.headers) }
        }
        return location
    }

    /// The part of the cache that an item belongs to.
    func scope(of url: OriginURL) -> CacheScope {
        guard !url.isSameOrigin(as: self.root), let own = self.credentials(url) else {
            return self.scope
        }
        return self.scopes[own.account, of: url, with: own.headers]
    }

    /// The address without those parts of its query that sign it.
    func location(of url: OriginURL) -> String {
        url.location(withoutQuery: self.volatileNames(of: url))
    }

    /// Whether an address has a signature that does not belong to the identity of its item.
    func isSigned(_ url: OriginURL) -> Bool {
        let signing = PlaylistSignature.signing(in: url.query ?? "")
        return url.isSigned || !signing.isEmpty
    }

    /// The names in an address's query that do not belong to the identity of an item.
    func volatileNames(of url: OriginURL) -> Set<String> {
        url.volatileQueryNames.union(self.volatileQuery)
            .union(PlaylistSignature.names(in: url.query ?? ""))
    }
}

/// The credential of a source of the user's own, for an address that a playlist names.
package struct PlaylistCredentials: Sendable {
    /// The headers of the source.
    package var headers: HTTPHeaderList
    /// The account of the source; `nil` without one.
    package var account: String?

    package init(headers: HTTPHeaderList, account: String?) {
        self.headers = headers
        self.account = account
    }
}

/// The query parts by which content delivery networks sign the addresses in playlists.
enum PlaylistSignature {
    /// Parts that hold a signature, and that nothing else has.
    private static let signatures: Set<String> = [
        "auth_key", "hdnea", "hdntl", "hdnts", "sig", "signature", "token", "txsecret", "wssecret",
    ]
    /// Parts that hold a signature beside a time, and may be the name of content without one.
    private static let digests: Set<String> = ["hash", "hmac", "md5", "sign"]
    /// Parts that hold the time or the rights of a signature, and mean something else without one.
    private static let companions: Set<String> = [
        "e", "exp", "expire", "expires", "expiry", "key-pair-id", "policy", "se", "sp", "sr", "st",
        "sv", "ttl", "txtime", "wstime",
    ]
    /// Parts that a player adds.
    private static let additions: Set<String> = ["cmcd", "_hls_msn", "_hls_part", "_hls_skip"]

    /// The names of a query's parts that do not tell one item from another.
    static func names(in query: String) -> Set<String> {
        self.signing(in: query).union(
            self.allNames(in: query).filter { self.additions.contains($0.lowercased()) }
        )
    }

    /// Whether a query has the time of a signature, so that nothing else in it is one.
    static func hasTime(_ query: String) -> Bool {
        self.allNames(in: query).contains { self.companions.contains($0.lowercased()) }
    }

    /// The names of a query's parts that sign it.
    static func signing(in query: String) -> Set<String> {
        let names = self.allNames(in: query)
        let known = Set(names.map { $0.lowercased() })
        var signing = self.signatures
        if !known.isDisjoint(with: self.companions) { signing.formUnion(self.digests) }
        guard !known.isDisjoint(with: signing) else { return [] }
        return Set(names.filter { signing.union(self.companions).contains($0.lowercased()) })
    }

    private static func allNames(in query: String) -> [String] {
        query.split(separator: "&").map { PercentCoding.decoded($0.prefix { $0 != "=" }) }
    }

    /// A query without some parts, with its question mark; empty if nothing is left.
    ///
    /// It may stand in a quoted attribute of a playlist.
    static func query(_ query: Substring, without names: Set<String>) -> String {
        let kept = query.dropFirst().split(separator: "&").filter { part in
            !names.contains(PercentCoding.decoded(part.prefix { $0 != "=" }))
        }
        let text = kept.joined(separator: "&").replacing("\"", with: "%22")
        return kept.isEmpty ? "" : "?\(text)"
    }
}
