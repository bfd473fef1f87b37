// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirCache
import WeirCipher
import WeirClouds
import WeirHTTP

/// What tells one medium of a library from another: the resource, and what its origin is told.
struct MediaIdentity: Hashable, Sendable {
    var key: ResourceKey
    var headers: HTTPHeaderList
    /// The storage that it is read from; `nil` for a plain address.
    var storage: ObjectIdentifier?
    /// How it is decrypted; `nil` for what is plain.
    var decryption: Decryption.Identity?
    /// Whether its address is not known, so that it has no origin of its own.
    var isUnlocated = false

    /// What a key is asked for.
    func keyRequest(_ address: URL?) -> KeyRequest {
        KeyRequest(
            url: address,
            account: CacheScope.isNamed(self.key.account) ? self.key.account : nil,
            resource: self.key.display
        )
    }
}
