// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Where a packet is and when, in the units of its track.
struct MP4Sample: Hashable, Sendable {
    /// Where its first byte is in the stream.
    var offset: Int64
    /// How many bytes it has, from 1.
    var size: Int
    /// When it is presented, before the edit list is applied.
    var time: Int64
    /// How long it lasts.
    var duration: Int64
    /// Whether decoding may start with it.
    var isSync: Bool

    /// When it is over; what 64 bits cannot hold ends with them.
    var end: Int64 {
        let (end, overflow) = self.time.addingReportingOverflow(self.duration)
        return overflow ? .max : end
    }
}
