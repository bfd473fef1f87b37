// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirHTTP

/// How long a link holds, where its address says so.
///
/// | where | what |
/// |---|---|
/// | S3 and Google Cloud Storage, signature 4 | `X-Amz-Date` (`X-Goog-Date`), `20240710T160235Z`, and `X-Amz-Expires` in seconds |
/// | S3 signature 2, CloudFront, many others | `Expires`, Unix seconds |
/// | Azure | `se`, RFC 3339 |
/// | Yandex.Disk | the second component of the path, 8 hexadecimal digits of Unix seconds |
enum LinkLifetime {
    /// The time that is left, 0 or more; `nil` if the address does not say.
    ///
    /// With temporary credentials in it (`X-Amz-Security-Token`) the link may end earlier; then at most an hour.
    static func of(_ url: OriginURL, at now: Int64) -> Duration? {
        let query = SignedQuery.parts(of: url)
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
        if query["sig"] != nil, let end = query["se"].flatMap(InternetTime.seconds) {
            return .seconds(max(0, end - now))
        }
        let parts = url.path.split(separator: "/")
        if parts.count >= 4, parts[0] == "disk", parts[1].utf8.count == 64,
            parts[2].utf8.count == 8, let end = UInt32(parts[2], radix: 16).map({ Int64($0) }),
            parts[2].first != "+"
        {
            return .seconds(max(0, end - now))
        }
        return nil
    }

    /// `20240710T160235Z` (ISO 8601, basic format).
    private static func basicTime(_ text: String) -> Int64? {
        guard let match = text.wholeMatch(of: /(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z/) else {
            return nil
        }
        return InternetTime.seconds(
            "\(match.1)-\(match.2)-\(match.3)T\(match.4):\(match.5):\(match.6)Z"
        )
    }
}
