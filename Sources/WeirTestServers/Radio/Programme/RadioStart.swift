// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Where a connection joins the sound of a station.
public enum RadioStart: String, Sendable, Hashable, Codable, CaseIterable {
    /// At the first byte, every time.
    case beginning
    /// Where the connection before it ended: nothing is lost in between.
    case following
    /// Where the station is by now, at its pace since it was started; without a pace as ``beginning``.
    case live
}
