// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import WeirCache
import WeirCipher
import WeirClouds
import WeirHTTP

/// Identifies a medium in its library: the resource, its headers, its storage and its decryption.
struct MediaIdentity: Hashable, Sendable {
    var key: ResourceKey
    var headers: HTTPHeaderList
    /// The storage that it is read from; `nil` for a plain URL.
    var storage: ObjectIdentifier?
    /// The decryption; `nil` for plain bytes.
    var decryption: Decryption.Identity?
    /// Whether its URL is unknown, so that it has no origin of its own.
    var isUnlocated = false
    /// The identifier of the playlist that names it; `nil` unless a playlist does.
    var playlist: String?
    /// Since when the playlist has named it, in seconds since 1970; `nil` if it is asked about.
    var since: Int64?

    /// The request for the key of the medium.
    func keyRequest(_ address: URL?) -> KeyRequest {
        KeyRequest(
            url: address,
            account: CacheScope.isNamed(self.key.account) ? self.key.account : nil,
            resource: self.key.display
        )
    }
}
