// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirHTTP

/// A location, and how long it may be used.
public struct CloudLocation: Sendable {
    /// How long a location holds.
    public enum Validity: Hashable, Sendable {
        /// From the moment that it was asked for.
        case lifetime(Duration)
        /// Until it is refused.
        case untilRefused
    }

    /// Where.
    public var location: OriginLocation
    /// How long.
    public var validity: Validity

    /// A location with its validity.
    public init(_ location: OriginLocation, validity: Validity) {
        self.location = location
        self.validity = validity
    }
}
