// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Which part of a track is played, and when (ISO 14496-12 §8.6.6).
///
///     elst   version and flags (32), count (32), then rows
///            version 0: duration (32), start in the track (32, signed), rate (16.16)
///            version 1: duration (64), start in the track (64, signed), rate (16.16)
///
/// Durations are in units of the movie, starts in units of the track; a start of -1 leaves time empty. What players
/// and encoders use is read: empty time, and then one part of the track; parts that follow are joined to it where
/// they go on where it ended, and otherwise leave its end open.
struct MP4EditList: Hashable, Sendable {
    /// How much empty time is in front, in units of the movie.
    var emptyDuration: Int64 = 0
    /// Where in the track what is played starts, in units of the track.
    var start: Int64 = 0
    /// How long it is played, in units of the movie; `nil`: to the end.
    var duration: Int64?

    /// Nothing is cut away.
    init() {}

    /// Reads a list.
    ///
    /// - Parameter box: the `elst`.
    /// - Throws: `malformed` if there are more rows than bytes.
    init(_ box: MP4Box) throws(AudioStreamError) {
        try box.require(8)
        let isLong = box.version == 1
        let stride = isLong ? 20 : 12
        let rows = Int64(box.content.big(4, UInt32.self))
        guard rows * Int64(stride) <= Int64(box.content.count - 8) else {
            throw box.fault("The edit list has more rows than bytes")
        }
        var hasStarted = false
        for row in 0..<Int(rows) {
            let position = 8 + row * stride
            let raw =
                isLong
                ? box.content.big(position, UInt64.self)
                : UInt64(box.content.big(position, UInt32.self))
            let duration = Int64(min(raw, UInt64(Int64.max / 4)))
            let start =
                isLong
                ? box.content.big(position + 8, Int64.self)
                : Int64(box.content.big(position + 4, Int32.self))
            if start < 0 {
                if !hasStarted { self.emptyDuration = min(self.emptyDuration + duration, .max / 4) }
            } else if !hasStarted {
                hasStarted = true
                self.start = min(start, .max / 4)
                self.duration = duration > 0 ? duration : nil
            } else {
                self.duration = nil
            }
        }
    }
}
