// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The known places and times of fragments: from `sidx` boxes, from `tfra`, and from fragments that
/// were read.
///
/// The number of places is limited; when the map is full, it drops every second one.
struct MP4FragmentMap: Sendable {
    /// A place where packets start.
    struct Mark: Hashable, Sendable {
        /// The offset of a box of the file.
        var offset: Int64
        /// When the first sample from there is decoded, in units of the track.
        var time: Int64
    }

    /// The most places that the map keeps.
    static let capacity = 16_384

    /// The places, in the order of the file.
    private(set) var marks: [Mark] = []
    /// The time up to which all fragments were added to the map, in units of the track.
    private(set) var end: Int64 = 0

    /// Adds a fragment.
    ///
    /// - Parameters:
    ///   - mark: the place and time of the fragment.
    ///   - end: when the fragment ends, if known.
    ///   - isSeen: whether the time comes from the fragment itself, which is more reliable than an
    ///     index.
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

    /// The last place at or before a time; the first place if all are later.
    ///
    /// - Parameter time: in units of the track.
    /// - Returns: `nil` if the map is empty.
    func mark(at time: Int64) -> Mark? {
        var low = 0
        var high = self.marks.count
        while low < high {
            let middle = low + (high - low) / 2
            if self.marks[middle].time <= time { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? self.marks[low - 1] : self.marks.first
    }

    /// The last place at or before an offset; the first place if all are later.
    func mark(around offset: Int64) -> Mark? {
        var low = 0
        var high = self.marks.count
        while low < high {
            let middle = low + (high - low) / 2
            if self.marks[middle].offset <= offset { low = middle + 1 } else { high = middle }
        }
        return low > 0 ? self.marks[low - 1] : self.marks.first
    }

    /// Reads a segment index (`sidx`, ISO 14496-12 §8.16.3); its times are presentation times.
    ///
    ///     version and flags (32), track (32), units a second (32),
    ///     first time, distance of the first segment from the end of the box
    ///     (32 each; version 1: 64),
    ///     0 (16), count (16), then
    ///     whether it is another index (1), size (31), duration (32), where decoding may start (32)
    ///
    /// - Parameters:
    ///   - box: the box.
    ///   - unitsPerSecond: units a second of the track, from 1.
    ///   - shift: how much later track times are than presentation times.
    /// - Returns: the end of the stream in units of the track, if the index has more than one
    ///   segment. Otherwise `nil`: some streams have an index of one segment before every segment.
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
            // The sums cannot overflow: there are at most 2^16 rows of 32 bits.
            offset += size
            time += duration
        }
        return count > 1 ? moved(time) : nil
    }

    /// Reads the places of fragments (`mfra` with `tfra`, ISO 14496-12 §8.8.10); its times are
    /// presentation times.
    ///
    ///     version and flags (32), track (32), 0 (26), three sizes less 1 (2 each), count (32),
    ///     then
    ///     time, offset of the moof (32 each; version 1: 64),
    ///     numbers of traf, trun and sample of these sizes
    ///
    /// - Parameters:
    ///   - box: the `mfra`.
    ///   - track: the number of the track.
    ///   - shift: how much later track times are than presentation times.
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
