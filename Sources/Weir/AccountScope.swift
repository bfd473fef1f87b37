// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirClouds
import WeirHTTP

/// Whose bytes a resource's are when the user has not said it.
enum AccountScope {
    /// Headers that tell nothing of who asks.
    private static let anonymous: Set<String> = [
        "accept", "accept-language", "user-agent", "referer", "origin", "cache-control", "pragma",
    ]

    /// Whether a credential of the user's goes along, which a signature in the address is not.
    static func hasCredential(url: OriginURL, headers: HTTPHeaderList) -> Bool {
        let name = self.name(url: url, headers: headers)
        return !name.isEmpty && name != self.signed
    }

    private static let signed = "query:signature"

    /// A scope that is the same for every value of a credential, and empty without one: the credential
    /// itself is in no key.
    static func name(url: OriginURL, headers: HTTPHeaderList) -> String {
        if let user = url.userInfo?.user { return "user:\(user)" }
        let names = headers.headers.map { $0.name.lowercased() }
        let telling = Set(names).subtracting(AccountScope.anonymous).sorted()
        guard telling.isEmpty else { return "header:\(telling.joined(separator: ","))" }
        return url.isSigned ? self.signed : ""
    }
}
