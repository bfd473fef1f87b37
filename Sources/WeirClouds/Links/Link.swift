// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirHTTP

/// A new address for bytes, from an application or a command.
package struct Link: Sendable {
    /// The address.
    package var url: OriginURL
    /// Fields that are sent only to this address.
    package var headers: HTTPHeaderList
    /// How long the link is valid from now.
    ///
    /// `nil`: the address gives the time, if its form is known; otherwise the link is used until it
    /// is refused.
    package var lifetime: Duration?

    /// Creates a link.
    package init(
        url: OriginURL,
        headers: HTTPHeaderList = HTTPHeaderList(),
        lifetime: Duration? = nil
    ) {
        self.url = url
        self.headers = headers
        self.lifetime = lifetime
    }
}

/// How long a link is valid, if its address says so.
///
/// | form | field |
/// |---|---|
/// | S3, signature 4 | `X-Amz-Date`, `20240710T160235Z`; `X-Amz-Expires`, seconds |
/// | Google Cloud, signature 4 | `X-Goog-Date` and `X-Goog-Expires`, in the same forms |
/// | S3 signature 2, CloudFront, many others | `Expires`, Unix seconds |
/// | Azure | `se`, RFC 3339 |
/// | Yandex.Disk | the third component of the path, 8 hexadecimal digits of Unix seconds |
extension OriginURL {
    /// How long the link is still valid, 0 or more; `nil` if the address does not say.
    ///
    /// With temporary credentials (`X-Amz-Security-Token`) the link may end earlier, so the result
    /// is at most an hour.
    func lifetime(at now: Int64) -> Duration? {
        let query = self.queryParts
        for vendor in ["x-amz-", "x-goog-"] {
            guard let date = query["\(vendor)date"].flatMap(Self.basicTime),
                let life = query["\(vendor)expires"].flatMap({ Int64($0) }), life >= 0,
                life <= 604_800
            else { continue }
            var left = max(0, date + life - now)
            if query["\(vendor)security-token"] != nil { left = min(left, 3600) }
            return .seconds(left)
        }
        if let end = query["expires"].flatMap({ Int64($0) }), end > 1_000_000_000,
            end < 100_000_000_000
        {
            return .seconds(max(0, end - now))
        }
        if query["sig"] != nil, let end = query["se"].flatMap({ Int64(internetTime: $0) }) {
            return .seconds(max(0, end - now))
        }
        let parts = self.path.split(separator: "/")
        if parts.count >= 4, parts[0] == "disk", parts[1].utf8.count == 64,
            parts[2].utf8.count == 8, let end = UInt32(parts[2], radix: 16).map({ Int64($0) }),
            parts[2].first != "+"
        {
            return .seconds(max(0, end - now))
        }
        return nil
    }

    /// Reads `20240710T160235Z` (ISO 8601, basic format).
    private static func basicTime(_ text: String) -> Int64? {
        guard let match = text.wholeMatch(of: /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/) else {
            return nil
        }
        return Int64(
            internetTime: "\(match.1)-\(match.2)-\(match.3)T\(match.4):\(match.5):\(match.6)Z"
        )
    }
}

extension OriginURL {
    /// The names of query parts that form a signature, which changes although the file does not.
    ///
    /// Empty if the address has no signature.
    ///
    /// Known forms are S3 (signature 2 and 4), Google Cloud Storage, CloudFront, Azure, and the
    /// download links of Google Drive. Query parts that select a version or a file are not among
    /// the names.
    public var volatileQueryNames: Set<String> {
        let names = self.queryNames
        let known = Set(names.map { $0.lowercased() })
        var volatile: (String) -> Bool = { _ in false }
        if known.contains("x-amz-signature") {
            volatile = { $0.hasPrefix("x-amz-") }
        } else if known.contains("x-goog-signature") {
            volatile = { $0.hasPrefix("x-goog-") }
        } else if known.isSuperset(of: ["awsaccesskeyid", "signature", "expires"]) {
            volatile = {
                ["awsaccesskeyid", "signature", "expires", "x-amz-security-token"].contains($0)
            }
        } else if known.isSuperset(of: ["googleaccessid", "signature", "expires"]) {
            volatile = { ["googleaccessid", "signature", "expires"].contains($0) }
        } else if known.isSuperset(of: ["key-pair-id", "signature"]) {
            volatile = { ["key-pair-id", "signature", "policy", "expires"].contains($0) }
        } else if known.isSuperset(of: ["sig", "se", "sv"]) {
            let parts: Set<String> = [
                "sig", "se", "st", "sp", "sv", "sr", "spr", "sip", "ss", "srt", "skoid", "sktid",
                "skt", "ske", "sks", "skv",
            ]
            volatile = { parts.contains($0) }
        } else if self.host == "drive.usercontent.google.com" {
            volatile = { ["at", "uuid", "confirm"].contains($0) }
        }
        return Set(names.filter { volatile($0.lowercased()) })
    }

    /// Whether an address contains a signature, which must be protected like a credential.
    public var isSigned: Bool { !self.volatileQueryNames.isEmpty }

    /// The parts of the query, names in lower case; the first part of each name counts.
    var queryParts: [String: String] {
        var parts: [String: String] = [:]
        for part in (self.query ?? "").split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = PercentCoding.decoded(pair[0]).lowercased()
            if parts[name] == nil {
                parts[name] = pair.count == 2 ? PercentCoding.decoded(pair[1]) : ""
            }
        }
        return parts
    }

    private var queryNames: [String] {
        (self.query ?? "").split(separator: "&").map { part in
            PercentCoding.decoded(part.prefix { $0 != "=" })
        }
    }
}
