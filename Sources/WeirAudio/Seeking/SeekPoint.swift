// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Where to start reading in order to play from a time.
public struct SeekPoint: Hashable, Sendable {
    /// How near the packet at ``offset`` is to what was asked.
    public enum Precision: String, Hashable, Sendable {
        /// A packet starts at the offset, and it starts at ``start``, exactly.
        case exact
        /// A table of the stream says so; off by no more than its steps.
        case table
        /// Worked out from the bit rate.
        case estimated
    }

    /// The byte to start at.
    public var offset: Int64
    /// When the first packet from there starts, as far as known; at or before what was asked.
    public var start: SampleCount
    /// How far offset and start can be trusted.
    public var precision: Precision

    /// A point.
    public init(offset: Int64, start: SampleCount, precision: Precision) {
        self.offset = offset
        self.start = start
        self.precision = precision
    }
}
