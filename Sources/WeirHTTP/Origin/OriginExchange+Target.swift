// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension OriginExchange {
    /// Where a request goes, and what may go with it.
    ///
    /// The user's headers are for the origin that the user named: they stay on it, and once a chain of redirects has
    /// left it they do not come back, whatever the chain's later hops say. Range and condition are carried everywhere.
    struct Target: Hashable {
        var url: OriginURL
        /// Whether the location's headers and credentials are meant for it.
        var isTrusted: Bool

        /// The target at another address.
        func moved(to url: OriginURL) -> Target {
            Target(url: url, isTrusted: self.isTrusted && url.isSameOrigin(as: self.url))
        }

        /// The target of a redirect; from https nothing goes to http.
        ///
        /// - Throws: `badAnswer` for an address that cannot be asked, `insecure` for one that loses TLS.
        func redirected(to location: String) throws(SourceError) -> Target {
            let next = try self.url.resolving(location)
            if self.url.scheme == .https, next.scheme == .http {
                throw SourceError(
                    .insecure,
                    "\(self.url.display) redirects from https to http, where anybody could read and change"
                        + " what is sent; ask whoever runs \(self.url.authority) to correct it.",
                    host: self.url.authority
                )
            }
            return self.moved(to: next)
        }
    }
}

/// A request in a chain of redirects: an address, with the cookies that go there.
///
/// Two that are the same get the same answer, so that the chain is a circle; a page that sets a cookie may lead to itself.
struct RedirectStep: Hashable {
    private let url: OriginURL
    private let cookie: String?

    init(_ url: OriginURL, _ cookies: CookieJar) {
        var list = HTTPHeaderList()
        if !cookies.isEmpty { cookies.add(to: &list, for: url) }
        self.url = url
        self.cookie = list["Cookie"]
    }
}
