// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Where fragments are and when, as far as is known: from `sidx` boxes, from `tfra`, and from those that were seen.
///
/// It holds so many at most; when it is full, every other one is forgotten.
struct MP4FragmentMap: Sendable {
    /// A place where packets start.
    struct Mark: Hashable, Sendable {
        /// A box of the file starts there.
        var offset: Int64
        /// When its first sample is decoded, in units of the track.
        var time: Int64
    }

    /// How many places are kept.
    static let capacity = 16_384

    /// The places, in the order of the file.
    private(set) var marks: [Mark] = []
    /// Up to when all fragments are known, in units of the track, but for those that were forgotten.
    private(set) var end: Int64 = 0

    /// Learns of a fragment.
    ///
    /// - Parameters:
    ///   - mark: where it is, and when.
    ///   - end: when it is over, if known.
    ///   - isSeen: whether the fragment itself says so, which counts more than an index.
    mutating func add(_ mark: Mark, end: Int64?, isSeen: Bool = false) {
        if mark.time <= self.end, let end { self.end = max(self.end, end) }
        var low = 0
        var high = self.marks.count
        if let last = self.marks.last, last.offset < mark.offset { low = high }
        while low < high {
            let middle = low + (high - low) / 2
            if self.marks[middle].offset < mark.offset { low = middle + 1 } else { high = middle }
        }
        if low < self.marks.count, self.marks[low].offset == mark.offset {
            if isSeen { self.marks[low].time = mark.time }
            return
        }
        self.marks.insert(mark, at: low)
        guard self.marks.count >= Self.capacity else { return }
        self.marks = stride(from: 0, to: self.marks.count, by: 2).map { self.marks[$0] }
    }

    /// The last place at or before a time; the first if there is none.
    ///
    /// - Parameter time: in units of the track.
    /// - Returns: `nil` if nothing is known.
    func mark(at time: Int64) -> Mark? {
        var low = 0
        var high = self.marks.count
        while low < high {
            let middle = low + (high - low) / 2
            if self.marks[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? self.marks[low - 1] : self.marks.first
    }

    /// The last place at or before an offset; the first if there is none.
    func mark(around offset: Int64) -> Mark? {
        var low = 0
        var high = self.marks.count
        while low < high {
            let middle = low + (high - low) / 2
            if self.marks[middle].offset <= offset { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? self.marks[low - 1] : self.marks.first
    }

    /// Reads a segment index (`sidx`, ISO 14496-12 §8.16.3); its times are those of presentation.
    ///
    ///     version and flags (32), track (32), units a second (32),
    ///     first time, distance of the first segment from the end of the box (32 each; version 1: 64),
    ///     0 (16), count (16), then
    ///     whether it is another index (1), size (31), duration (32), where decoding may start (32)
    ///
    /// - Parameters:
    ///   - box: the box.
    ///   - unitsPerSecond: of the track, from 1.
    ///   - shift: what times of the track are later than those of presentation.
    /// - Returns: when the stream ends, in units of the track, if it seems to be the index of all of it: an index of
    ///   one segment stands before every segment of some streams. `nil` otherwise.
    mutating func read(_ box: MP4Box, unitsPerSecond: Int64, shift: Int64) -> Int64? {
        let isLong = box.version > 0
        let first = isLong ? 32 : 24
        guard box.content.count >= first else { return nil }
        let view = box.content
        let scale = Int64(view.big(8, UInt32.self))
        let start = isLong ? view.big(12, UInt64.self) : UInt64(view.big(12, UInt32.self))
        let distance = isLong ? view.big(20, UInt64.self) : UInt64(view.big(16, UInt32.self))
        let count = Int(view.big(first - 2, UInt16.self))
        guard scale > 0, start < UInt64(Int64.max / 8), distance < UInt64(Int64.max / 8),
            count * 12 <= view.count - first
        else { return nil }
        func moved(_ time: Int64) -> Int64 {
            let units = MP4TimeScale.rescale(time, by: unitsPerSecond, over: scale)
            return min(units, .max / 4) + shift
        }
        var time = Int64(start)
        var offset = box.offset + Int64(view.count) + Int64(distance)
        for row in 0..<count {
            let size = Int64(view.big(first + row * 12, UInt32.self) & 0x7FFF_FFFF)
            let duration = Int64(view.big(first + row * 12 + 4, UInt32.self))
            let units = moved(time)
            let end = moved(time + duration)
            self.add(Mark(offset: offset, time: units), end: end)
            // At most 2^16 rows of 32 bits.
            offset += size
            time += duration
        }
        return count > 1 ? moved(time) : nil
    }

    /// Reads where fragments are (`mfra` with `tfra`, ISO 14496-12 §8.8.10); its times are those of presentation.
    ///
    ///     version and flags (32), track (32), 0 (26), three sizes less 1 (2 each), count (32), then
    ///     time, offset of the moof (32 each; version 1: 64), numbers of traf, trun and sample of these sizes
    ///
    /// - Parameters:
    ///   - box: the `mfra`.
    ///   - track: the number of the track.
    ///   - shift: what times of the track are later than those of presentation.
    mutating func read(access box: MP4Box, track: UInt32, shift: Int64) {
        var children = box.children
        while let child = try? children.next("tfra") {
            let view = child.content
            guard view.count >= 16, view.big(4, UInt32.self) == track else { continue }
            let sizes = view.big(8, UInt32.self)
            let isLong = child.version > 0
            var stride = isLong ? 16 : 8
            for shift: UInt32 in [4, 2, 0] { stride += Int((sizes >> shift) & 3) + 1 }
            let count = min(Int(view.big(12, UInt32.self)), (view.count - 16) / stride)
            for row in 0..<count {
                let position = 16 + row * stride
                let time =
                    isLong
                    ? view.big(position, UInt64.self) : UInt64(view.big(position, UInt32.self))
                let offset =
                    isLong
                    ? view.big(position + 8, UInt64.self)
                    : UInt64(view.big(position + 4, UInt32.self))
                guard time < UInt64(Int64.max / 4), offset < UInt64(Int64.max / 4) else { continue }
                self.add(Mark(offset: Int64(offset), time: Int64(time) + shift), end: nil)
            }
        }
    }
}
