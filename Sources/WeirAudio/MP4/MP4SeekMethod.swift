// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds times in the tables of a track, and behind them in what is known of fragments.
struct MP4SeekMethod: SeekMethod {
    /// Where the samples are that the index knows of.
    let table: MP4SampleTable
    /// Where fragments are; `nil` if there are none.
    let fragments: MP4FragmentMap?
    /// When samples are played.
    let timeLine: MP4TimeLine
    /// The number of the track.
    let track: UInt32
    /// How many bytes the stream has, if known.
    let length: Int64?

    func search(for time: SampleCount) -> any SeekSearching {
        let units = self.timeLine.time(time.rawValue)
        if let fragments = self.fragments, units >= self.table.duration || self.table.count == 0 {
            return MP4FragmentSearch(
                map: fragments,
                target: units,
                timeLine: self.timeLine,
                track: self.track,
                length: self.length
            )
        }
        return self.point(self.sample(at: time.rawValue, units))
    }

    func time(at offset: Int64) -> SeekPoint? {
        if let fragments = self.fragments, let mark = fragments.mark(around: offset),
            mark.offset <= offset
        {
            return MP4FragmentSearch.point(mark, timeLine: self.timeLine)
        }
        guard self.table.count > 0, let sample = try? self.table.sample(around: offset) else {
            return nil
        }
        return self.point(sample)
    }

    /// The last sample that starts at or before a time, and is not cut away.
    private func sample(at time: Int64, _ units: Int64) -> Int {
        var sample = self.table.sample(at: min(max(units, self.timeLine.usedStart), .max / 4))
        if let end = self.timeLine.usedEnd, end > 0 {
            sample = min(sample, self.table.sample(at: end - 1))
        }
        guard !self.timeLine.scale.isExact else { return sample }
        // Where units are not samples, rounding may have gone past the sample, or stopped short of it.
        if sample + 1 < self.table.count, self.point(sample + 1).start.rawValue <= time {
            return sample + 1
        }
        if sample > 0, self.point(sample).start.rawValue > time { return sample - 1 }
        return sample
    }

    private func point(_ sample: Int) -> SeekPoint {
        guard var cursor = try? MP4SampleCursor(self.table, at: sample),
            let found = try? cursor.next()
        else {
            return SeekPoint(offset: 0, start: 0, precision: .estimated)
        }
        return SeekPoint(
            offset: found.offset,
            start: SampleCount(self.timeLine.start(found.time)),
            precision: .exact
        )
    }
}

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

/// Looks for a time in a file of fragments: in what is known, and if that ends before it in the index at the file's
/// end (`mfra`), whose last box says how long it is (`mfro`, ISO 14496-12 §8.8.11).
///
///     mfro   size 16 (32), 'mfro', version and flags (32), size of the mfra (32)
///
/// One look at the last 64 KiB does for both; an index that is longer is not used.
struct MP4FragmentSearch: SeekSearching {
    /// How many bytes are read at once.
    private static let longest: Int64 = 64 << 10
    private static let endCount: Int64 = 16

    private var map: MP4FragmentMap
    private let target: Int64
    private let timeLine: MP4TimeLine
    private let track: UInt32
    private var look: Range<Int64>?

    /// - Parameters:
    ///   - map: what is known of fragments.
    ///   - target: what is looked for, in units of the track.
    ///   - timeLine: when samples are played.
    ///   - track: the number of the track.
    ///   - length: how many bytes the stream has, if known.
    init(map: MP4FragmentMap, target: Int64, timeLine: MP4TimeLine, track: UInt32, length: Int64?) {
        self.map = map
        self.target = target
        self.timeLine = timeLine
        self.track = track
        self.look = nil
        if let length, length >= Self.endCount, target >= map.end {
            self.look = max(0, length - Self.longest)..<length
        }
    }

    var step: SeekSearch.Step {
        if let look = self.look { return .read(look) }
        guard let mark = self.map.mark(at: self.target) else {
            return .found(SeekPoint(offset: 0, start: 0, precision: .estimated))
        }
        return .found(Self.point(mark, timeLine: self.timeLine))
    }

    mutating func read(_ bytes: ByteMemory) {
        guard let range = self.look else { return }
        self.look = nil
        guard bytes.count >= Int(Self.endCount), bytes.count == range.count else { return }
        bytes.withView { view in
            let end = view[view.count - Int(Self.endCount)..<view.count]
            let size = Int(end.big(12, UInt32.self))
            guard end.matches("mfro", at: 4), size >= 24, size <= view.count else { return }
            let start = view.count - size
            var boxes = MP4Boxes(
                view[start..<view.count],
                offset: range.lowerBound + Int64(start)
            )
            guard let box = try? boxes.next("mfra") else { return }
            self.map.read(access: box, track: self.track, shift: self.timeLine.shift)
        }
    }

    /// A place in a file of fragments as a point to start at.
    static func point(_ mark: MP4FragmentMap.Mark, timeLine: MP4TimeLine) -> SeekPoint {
        SeekPoint(
            offset: mark.offset,
            start: SampleCount(timeLine.start(mark.time)),
            precision: .table
        )
    }
}
