// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirSource

/// The URL at which a log-in in the system's browser ends.
enum RedirectTarget: Hashable {
    /// Any URL with a scheme of the application's own (RFC 8252 §7.1).
    case scheme(String)
    /// The pages of a host that the application is associated with (RFC 8252 §7.2).
    case https(host: String, path: String)

    /// Reads the `redirect_uri` of a request.
    ///
    /// - Throws: ``/WeirSource/SourceError`` with `invalidRequest` for a URL at which the system's browser cannot
    ///   end.
    init(_ redirect: String) throws(SourceError) {
        guard let url = URL(string: redirect), let scheme = url.scheme?.lowercased(),
            // RFC 6749 §3.1.2.
            url.fragment == nil
        else {
            throw SourceError(
                .invalidRequest,
                "The redirect address of a log-in has no scheme, or a fragment; name the address that the application"
                    + " is registered with, such as 'my-player://callback'."
            )
        }
        switch scheme {
        case "https":
            guard let host = url.host(), !host.isEmpty, url.port == nil else {
                throw SourceError(
                    .invalidRequest,
                    "An https redirect address names a host that the application is associated with, and no port; change"
                        + " it, or use a scheme of the application's own, such as 'my-player://callback'."
                )
            }
            let path = url.path()
            self = .https(host: host, path: path.isEmpty ? "/" : path)
        case "http":
            throw SourceError(
                .invalidRequest,
                "The system's browser does not end a log-in at an http address; register the application with a scheme of"
                    + " its own, such as 'my-player://callback', or with https."
            )
        default: self = .scheme(scheme)
        }
    }
}
