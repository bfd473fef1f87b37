// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirSource

extension OriginExchange {
    /// The target of a request, and whether the user's headers go there.
    ///
    /// The user's headers are for the origin that the user named. They stay there: once a chain of
    /// redirects has left the origin, they are not sent again, even if the chain returns. Range and
    /// condition are sent everywhere.
    struct Target: Hashable {
        var url: OriginURL
        /// Whether the location's headers and credentials may be sent to it.
        var isTrusted: Bool

        /// The target at another address.
        func moved(to url: OriginURL) -> Target {
            Target(url: url, isTrusted: self.isTrusted && url.isSameOrigin(as: self.url))
        }

        /// The target of a redirect; redirects from https to http are refused.
        ///
        /// - Throws: `badAnswer` for an unusable address, `insecure` for one that loses TLS.
        func redirected(to location: String) throws(SourceError) -> Target {
            let next = try self.url.resolving(location)
            if self.url.scheme == .https, next.scheme == .http {
                throw SourceError(
                    .insecure,
                    "\(self.url.display) redirects from https to http, where anyone could read and change the traffic;"
                        + " ask the operator of \(self.url.authority) to correct it.",
                    host: self.url.authority
                )
            }
            return self.moved(to: next)
        }
    }
}

/// A request in a chain of redirects: an address with the cookies that are sent there.
///
/// Two equal steps get the same response, so the chain is a circle. The cookies belong to the step,
/// since a page may set a cookie and then redirect to itself.
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
