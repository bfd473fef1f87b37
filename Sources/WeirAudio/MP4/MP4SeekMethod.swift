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
        return KnownPoint(point: self.point(self.sample(at: time.rawValue, units)))
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
