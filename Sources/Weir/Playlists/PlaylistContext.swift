// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirClouds
package import WeirHTTP
import WeirLoader
import WeirSource

/// What a playlist passes on to the items that it names.
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

    /// The address without those parts of its query that sign it, for the identity of an item.
    func location(of url: OriginURL) -> String {
        url.location(withoutQuery: self.volatileNames(of: url))
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
    /// Parts that hold a signature or a token.
    private static let signatures: Set<String> = [
        "auth_key", "hash", "hdnea", "hdntl", "hdnts", "hmac", "md5", "sig", "sign", "signature",
        "token", "txsecret", "wssecret",
    ]
    /// Parts that belong to a signature, and mean something else without one.
    private static let companions: Set<String> = [
        "e", "exp", "expire", "expires", "expiry", "key-pair-id", "policy", "se", "sp", "sr", "st",
        "sv", "ttl", "txtime", "wstime",
    ]
    /// Parts that a player adds.
    private static let additions: Set<String> = ["cmcd", "_hls_msn", "_hls_part", "_hls_skip"]

    /// The names of a query's parts that do not tell one item from another.
    static func names(in query: String) -> Set<String> {
        guard !query.isEmpty else { return [] }
        let names = query.split(separator: "&").map { part in
            PercentCoding.decoded(part.prefix { $0 != "=" })
        }
        let isSigned = names.contains { self.signatures.contains($0.lowercased()) }
        return Set(
            names.filter { name in
                let name = name.lowercased()
                if self.additions.contains(name) { return true }
                return isSigned
                    && (self.signatures.contains(name) || self.companions.contains(name))
            }
        )
    }

    /// A query without these parts, with its question mark; empty if nothing is left.
    static func removed(from query: Substring) -> String {
        let volatile = self.names(in: String(query.dropFirst()))
        let kept = query.dropFirst().split(separator: "&").filter { part in
            !volatile.contains(PercentCoding.decoded(part.prefix { $0 != "=" }))
        }
        return kept.isEmpty ? "" : "?\(kept.joined(separator: "&"))"
    }
}
