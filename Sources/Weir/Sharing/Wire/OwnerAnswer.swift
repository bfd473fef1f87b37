// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What is said after the request: by the owner, or by a user who supplies what an order asked for.
enum OwnerAnswer: Codable, Sendable {
    /// The resource can be used under this number; these limits hold for the cache.
    case using(UInt64, LimitsMessage)
    /// The owner is there. Said every now and then while a resource is in use.
    case alive
    /// An order to a user who lends an origin; it is answered on a connection of its own.
    case order(UInt64, OriginOrder)
    /// Which bytes are held; follows a ``watch``.
    case availability(AvailabilityMessage)
    /// A user wants to be told what is held from now on.
    case watch
    /// A reading begins; its bytes follow, and an ``end``.
    case reading(ReadingMessage)
    /// The reading is complete.
    case end
    /// What the resource is.
    case described(DescriptionMessage)
    /// Whether the resource is what a pin names.
    case unchanged(Bool)
    /// A command was carried out.
    case done(CommandResult)
    /// It did not work.
    case failure(FailureMessage)
}
