// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirHTTP

/// What of a link's query is a signature, and changes although the file does not.
public enum SignedQuery {
    /// The names of the parts that are a signature, as they stand in the address; empty if it carries none.
    ///
    /// Known are S3 (signature 2 and 4), Google Cloud Storage, CloudFront, Azure, and the download links of Google
    /// Drive. What selects a version or a file stays.
    public static func volatileNames(in url: OriginURL) -> Set<String> {
        let names = self.names(of: url)
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
        } else if url.host == "drive.usercontent.google.com" {
            volatile = { ["at", "uuid", "confirm"].contains($0) }
        }
        return Set(names.filter { volatile($0.lowercased()) })
    }

    /// Whether an address carries a signature that is as good as a credential.
    public static func isSigned(_ url: OriginURL) -> Bool {
        !self.volatileNames(in: url).isEmpty
    }

    /// The parts of a query, names in lower case, the first of each name.
    static func parts(of url: OriginURL) -> [String: String] {
        var parts: [String: String] = [:]
        for part in (url.query ?? "").split(separator: "&") {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = PercentCoding.decoded(pair[0]).lowercased()
            if parts[name] == nil {
                parts[name] = pair.count == 2 ? PercentCoding.decoded(pair[1]) : ""
            }
        }
        return parts
    }

    private static func names(of url: OriginURL) -> [String] {
        (url.query ?? "").split(separator: "&").map { part in
            PercentCoding.decoded(part.prefix { $0 != "=" })
        }
    }
}
