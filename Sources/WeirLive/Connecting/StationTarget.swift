// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Which address of a line is meant.
public enum StationTarget: Hashable, Sendable {
    /// The station's own.
    case station
    /// One that the station's playlist named, as it is written there: absolute, or relative to the playlist's address.
    case entry(String)
}
