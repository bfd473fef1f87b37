// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The part of a track that is played, and when (ISO 14496-12 §8.6.6).
///
///     elst   version and flags (32), count (32), then rows
///            version 0: duration (32), start in the track (32, signed), rate (16.16)
///            version 1: duration (64), start in the track (64, signed), rate (16.16)
///
/// Durations are in units of the movie, starts in units of the track; a start of -1 is empty time.
/// The parts are played in turn, each as often as the list has it, and cut to the sample; ffmpeg
/// cuts to the packet. Empty time delays the parts after it; no silence fills it. A part with a
/// rate of 0 holds one moment. It counts as empty time, unless it is the first part that is not
/// empty.
struct MP4Edit: Hashable, Sendable {
    /// The most parts; in a longer list, the last of them continues to the end of the track.
    static let maximumCount = 64

    /// When the part is played, in units of the movie.
    var playedAt: Int64 = 0
    /// Where the part starts in the track, in units of the track.
    var start: Int64 = 0
    /// How long the part is played, in units of the movie; `nil` if up to the end of the track.
    var duration: Int64?

    /// Reads a list.
    ///
    /// - Parameter box: the `elst`.
    /// - Returns: the parts, at least one; if the list has only empty time, the whole track follows
    ///   it.
    /// - Throws: `malformed` if there are more rows than bytes.
    static func list(_ box: MP4Box) throws(AudioStreamError) -> [MP4Edit] {
        try box.require(8)
        let isLong = box.version == 1
        let stride = isLong ? 20 : 12
        let rows = Int64(box.content.big(4, UInt32.self))
        guard rows * Int64(stride) <= Int64(box.content.count - 8) else {
            throw box.fault("The edit list has more rows than bytes")
        }
        var edits: [MP4Edit] = []
        var played: Int64 = 0
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
            let rate = box.content.big(position + stride - 4, UInt32.self)
            if start >= 0, rate != 0 || edits.isEmpty {
                edits.append(
                    MP4Edit(
                        playedAt: played,
                        start: min(start, .max / 4),
                        duration: duration > 0 ? duration : nil
                    )
                )
                if duration == 0 { break }
                if edits.count == Self.maximumCount {
                    edits[edits.count - 1].duration = row == Int(rows) - 1 ? duration : nil
                    break
                }
            }
            played = min(played + duration, .max / 4)
        }
        return edits.isEmpty ? [MP4Edit(playedAt: played)] : edits
    }

    /// Joins parts that follow each other in the track without a gap.
    ///
    /// - Parameters:
    ///   - edits: the parts.
    ///   - unitsPerSecond: units a second of the track.
    ///   - movieScale: units a second of the movie.
    /// - Returns: the remaining parts, with gaps between them.
    static func joined(_ edits: [MP4Edit], unitsPerSecond: Int64, movieScale: Int64) -> [MP4Edit] {
        var joined: [MP4Edit] = []
        for edit in edits {
            guard let last = joined.last, let duration = last.duration,
                edit.playedAt == last.playedAt + duration
            else {
                joined.append(edit)
                continue
            }
            let length = MP4TimeScale.rescale(duration, by: unitsPerSecond, over: movieScale)
            let gap = edit.start - min(length, .max / 4) - last.start
            if abs(gap) <= unitsPerSecond / movieScale + 1 {
                joined[joined.count - 1].duration = edit.duration.map {
                    min(duration + $0, .max / 4)
                }
            } else {
                joined.append(edit)
            }
        }
        return joined
    }
}
