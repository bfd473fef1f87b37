// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirCache

/// What a user of a cache directory asks of its owner: the first message of a connection.
///
/// A kind or a field that may be missing can be added without another version. Whatever is changed otherwise needs one:
/// an owner refuses other versions with ``otherVersion``, and every version to come reads that refusal.
struct OwnerRequest: Codable, Sendable {
    /// The language's version; another one is refused.
    static let version = 1

    /// What is asked for; each has a connection of its own.
    enum Kind: Codable, Sendable {
        /// To play a resource, and to lend its origin for as long as the connection stands.
        case use(KeyMessage, PolicyMessage, isOffline: Bool)
        /// To read a resource in use.
        case read(use: UInt64, DemandMessage)
        /// To describe a resource in use.
        case describe(use: UInt64)
        /// To hand over what an order asked of an origin.
        case supply(order: UInt64)
        /// To do something with what is held.
        case command(CacheCommand)
    }

    var version = OwnerRequest.version
    var kind: Kind

    /// What either end says that does not understand the other.
    static let otherVersion = CacheError(
        .inUse,
        "The cache directory is used by another version of Weir, which does not understand this one; end one of the two."
    )
}
