// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a user of a cache directory asks of its owner: the first message of a connection.
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
}
