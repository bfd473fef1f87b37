// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What an owner wants to know of an origin that a user lends.
enum OriginOrder: Codable, Sendable {
    case read(DemandMessage)
    case describe
    case isUnchanged(PinMessage)
}
