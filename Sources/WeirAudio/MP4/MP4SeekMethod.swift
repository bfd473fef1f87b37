// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds times in the tables of a track, and later times in the known fragments.
struct MP4SeekMethod: SeekMethod {
    /// The samples of the index.
    let table: MP4SampleTable
    /// The known fragments; `nil` if the file has no fragments.
    let fragments: MP4FragmentMap?
    /// The time lines of the parts, at least one.
    let parts: [MP4TimeLine]
    /// The number of the track.
    let track: UInt32
    /// How many bytes the stream has, if known.
    let length: Int64?

    func search(for time: SampleCount) -> any SeekSearching {
        let timeLine = self.part(at: time.rawValue)
        let units = timeLine.time(time.rawValue)
        if let fragments = self.fragments, units >= self.table.duration || self.table.count == 0 {
            return MP4FragmentSearch(
                map: fragments,
                target: units,
                timeLine: timeLine,
                track: self.track,
                length: self.length
            )
        }
        return self.point(self.sample(at: time.rawValue, units, timeLine), timeLine)
    }

    func time(at offset: Int64) -> SeekPoint? {
        if let fragments = self.fragments, let mark = fragments.mark(around: offset),
            mark.offset <= offset
        {
            return MP4FragmentSearch.point(mark, timeLine: self.part(at: 0))
        }
        guard self.table.count > 0, let sample = try? self.table.sample(around: offset) else {
            return nil
        }
        let units = self.table.time(of: sample)
        let isPlayed = { (part: MP4TimeLine) in
            units >= part.usedStart && units < part.usedEnd ?? .max
        }
        return self.point(sample, self.parts.first(where: isPlayed) ?? self.part(at: 0))
    }

    /// The part that is heard at a time of the stream.
    private func part(at time: Int64) -> MP4TimeLine {
        self.parts.last { $0.firstHeard <= time } ?? self.parts[0]
    }

    /// The last sample that starts at or before a time, and is used.
    private func sample(at time: Int64, _ units: Int64, _ timeLine: MP4TimeLine) -> Int {
        var sample = self.table.sample(at: min(max(units, timeLine.usedStart), .max / 4))
        if let end = timeLine.usedEnd, end > 0 {
            sample = min(sample, self.table.sample(at: end - 1))
        }
        guard !timeLine.scale.isExact else { return sample }
        // If a unit is not a sample, rounding may have chosen a neighbour of the sample.
        if sample + 1 < self.table.count, self.point(sample + 1, timeLine).start.rawValue <= time {
            return sample + 1
        }
        if sample > 0, self.point(sample, timeLine).start.rawValue > time { return sample - 1 }
        return sample
    }

    private func point(_ sample: Int, _ timeLine: MP4TimeLine) -> SeekPoint {
        guard var cursor = try? MP4SampleCursor(self.table, at: sample),
            let found = try? cursor.next()
        else {
            return SeekPoint(offset: 0, start: 0, precision: .estimated)
        }
        return SeekPoint(
            offset: found.offset,
            start: SampleCount(timeLine.start(found.time)),
            precision: .exact
        )
    }
}

/// Looks for a time in a file of fragments, in the known fragments first.
///
/// If the known fragments end before the time, the search reads the index at the end of the file
/// (`mfra`). The last box in the index states the size of the index (`mfro`, ISO 14496-12 §8.8.11).
///
///     mfro   size 16 (32), 'mfro', version and flags (32), size of the mfra (32)
///
/// One read of the last 64 KiB contains both boxes; a longer index is not used.
struct MP4FragmentSearch: SeekSearching {
    /// The most bytes of the read.
    private static let longest: Int64 = 64 << 10
    private static let endCount: Int64 = 16

    private var map: MP4FragmentMap
    private let target: Int64
    private let timeLine: MP4TimeLine
    private let track: UInt32
    private var pendingRange: Range<Int64>?

    /// - Parameters:
    ///   - map: the known fragments.
    ///   - target: the wanted time, in units of the track.
    ///   - timeLine: the time line of the samples.
    ///   - track: the number of the track.
    ///   - length: how many bytes the stream has, if known.
    init(map: MP4FragmentMap, target: Int64, timeLine: MP4TimeLine, track: UInt32, length: Int64?) {
        self.map = map
        self.target = target
        self.timeLine = timeLine
        self.track = track
        self.pendingRange = nil
        if let length, length >= Self.endCount, target >= map.end {
            self.pendingRange = max(0, length - Self.longest)..<length
        }
    }

    var step: SeekSearch.Step {
        if let range = self.pendingRange { return .read(range) }
        guard let mark = self.map.mark(at: self.target) else {
            return .found(SeekPoint(offset: 0, start: 0, precision: .estimated))
        }
        return .found(Self.point(mark, timeLine: self.timeLine))
    }

    mutating func read(_ bytes: ByteMemory) {
        guard let range = self.pendingRange else { return }
        self.pendingRange = nil
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

    /// A place in a file of fragments, as a point to start at.
    static func point(_ mark: MP4FragmentMap.Mark, timeLine: MP4TimeLine) -> SeekPoint {
        SeekPoint(
            offset: mark.offset,
            start: SampleCount(timeLine.start(mark.time)),
            precision: .table
        )
    }
}
