// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache
import WeirCipher
import WeirClouds
package import WeirHTTP

/// What tells one medium of a library from another: the resource, and what its origin is told.
struct MediaIdentity: Hashable, Sendable {
    var key: ResourceKey
    var headers: HTTPHeaderList
    /// The storage that it is read from; `nil` for a plain address.
    var storage: ObjectIdentifier?
    /// How it is decrypted; `nil` for what is plain.
    var decryption: Decryption.Identity?
}

/// Whose bytes a resource's are when the user has not said it.
extension OriginURL {
    /// Headers that tell nothing of an account.
    private static let anonymous: Set<String> = [
        "accept", "accept-language", "user-agent", "referer", "origin", "cache-control", "pragma",
    ]

    private static let signed = "query:signature"

    /// Whether a credential of the user's goes along, which a signature in the address is not.
    package func carriesCredential(with headers: HTTPHeaderList) -> Bool {
        let scope = self.accountScope(with: headers)
        return !scope.isEmpty && scope != Self.signed
    }

    /// A scope that is the same for every value of a credential, and empty without one: the credential itself is in no
    /// key.
    func accountScope(with headers: HTTPHeaderList) -> String {
        if let user = self.userInfo?.user { return "user:\(user)" }
        let names = headers.headers.map { $0.name.lowercased() }
        let telling = Set(names).subtracting(Self.anonymous).sorted()
        guard telling.isEmpty else { return "header:\(telling.joined(separator: ","))" }
        return self.isSigned ? Self.signed : ""
    }
}
