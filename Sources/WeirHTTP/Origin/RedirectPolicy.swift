// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirSource

/// Where a redirect may lead, and what goes along.
///
/// The user's headers are for the origin that the user named: they stay on it, and once a chain has
/// left it they do not come back, whatever the chain's later hops say. Range and condition are carried
/// everywhere. From https nothing goes to http.
enum RedirectPolicy {
    /// The next target.
    ///
    /// - Throws: `badAnswer` for an address that cannot be asked, `insecure` for one that loses TLS.
    static func target(of location: String, from current: OriginExchange.Target) throws(SourceError)
        -> OriginExchange.Target
    {
        let next = try current.url.resolving(location)
        if current.url.scheme == .https, next.scheme == .http {
            throw SourceError(
                .insecure,
                "\(current.url.display) redirects from https to http, where anybody could read and change"
                    + " what is sent; ask whoever runs \(current.url.authority) to correct it.",
                host: current.url.authority
            )
        }
        return OriginExchange.Target(
            url: next,
            isTrusted: current.isTrusted && next.isSameOrigin(as: current.url)
        )
    }
}
