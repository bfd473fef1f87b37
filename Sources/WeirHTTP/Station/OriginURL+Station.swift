// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

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
