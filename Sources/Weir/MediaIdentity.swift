// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

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
}
