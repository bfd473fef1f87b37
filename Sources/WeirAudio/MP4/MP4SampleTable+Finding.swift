// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds samples by time and by place.
extension MP4SampleTable {
    /// When a sample is decoded.
    ///
    /// - Parameter sample: from 0; for a number past the last sample, the result is the end of the
    ///   track.
    /// - Returns: the time in units of the track.
    func time(of sample: Int) -> Int64 {
        var left = min(sample, self.count)
        var time: Int64 = 0
        for row in 0..<self.times.count where left > 0 {
            let count = min(left, self.times.number(row))
            time += Int64(count) * Int64(self.times.number(row, 4))
            left -= count
        }
        return time
    }

    /// The last sample that is decoded at or before a time; in groups, the first sample of its
    /// group.
    ///
    /// - Parameter time: in units of the track.
    /// - Returns: from 0; 0 for a time before the first sample.
    func sample(at time: Int64) -> Int {
        // For a time of 0, the result is the first sample, even if no sample has a duration.
        guard time > 0 else { return 0 }
        var sample = 0
        var start: Int64 = 0
        for row in 0..<self.times.count where sample < self.count {
            let count = min(self.times.number(row), self.count - sample)
            let step = Int64(self.times.number(row, 4))
            let length = Int64(count) * step
            if time < start + length {
                let inRow = step > 0 ? Int(max(0, time - start) / step) : 0
                return self.groupStart(sample + inRow)
            }
            start += length
            sample += count
        }
        return self.groupStart(max(0, self.count - 1))
    }

    /// The first sample, in file order, that starts at or after an offset.
    ///
    /// - Parameter offset: in the stream.
    /// - Returns: from 0; `nil` if all start before it.
    /// - Throws: `malformed` if the offset of a chunk is impossible.
    func sample(startingFrom offset: Int64) throws(AudioStreamError) -> Int? {
        let (around, behind) = try self.chunks(around: offset)
        if let around, let sample = self.sample(in: around, where: { $0.lowerBound >= offset }) {
            return sample
        }
        return behind?.sample
    }

    /// The sample that contains an offset; between samples, the next one; after all samples, the
    /// last one.
    ///
    /// - Parameter offset: in the stream.
    /// - Returns: from 0.
    /// - Throws: `malformed` if the offset of a chunk is impossible.
    func sample(around offset: Int64) throws(AudioStreamError) -> Int {
        try self.sample(endingBehind: offset) ?? self.groupStart(max(0, self.count - 1))
    }

    /// The first sample, in file order, that ends after an offset; in groups, the first sample of
    /// its group.
    ///
    /// - Parameter offset: in the stream.
    /// - Returns: from 0; `nil` if all end at or before it.
    /// - Throws: `malformed` if the offset of a chunk is impossible.
    func sample(endingBehind offset: Int64) throws(AudioStreamError) -> Int? {
        let (around, behind) = try self.chunks(around: offset)
        if let around, let sample = self.sample(in: around, where: { $0.upperBound > offset }) {
            return sample
        }
        return behind?.sample
    }

    private typealias Chunk = (start: Int64, sample: Int, sampleCount: Int)

    /// The first packet of a chunk that meets a condition, which all later packets must meet too.
    private func sample(in chunk: Chunk, where holds: (Range<Int64>) -> Bool) -> Int? {
        let end = min(self.count, chunk.sample + chunk.sampleCount)
        if let size = self.sizes.constant {
            // A bisection instead of a walk: a file of a few bytes may have 2^32 samples.
            var low = 0
            var high = (end - chunk.sample + self.grouping - 1) / self.grouping
            let packets = high
            while low < high {
                let middle = low + (high - low) / 2
                let first = middle * self.grouping
                let next = min(first + self.grouping, end - chunk.sample)
                if holds(
                    chunk.start + self.bytes(first, size)..<chunk.start + self.bytes(next, size)
                ) {
                    high = middle
                } else {
                    low = middle + 1
                }
            }
            return low < packets ? chunk.sample + low * self.grouping : nil
        }
        var position = chunk.start
        for sample in chunk.sample..<max(chunk.sample, end) {
            let next = position + Int64(self.sizes.size(sample))
            if holds(position..<next) { return sample }
            position = next
        }
        return nil
    }

    /// How many bytes a number of samples of one size has; at most a quarter of the range of 64
    /// bits.
    private func bytes(_ count: Int, _ size: Int) -> Int64 {
        let (bytes, overflow) = Int64(count).multipliedReportingOverflow(by: Int64(size))
        return overflow ? .max / 4 : min(bytes, .max / 4)
    }

    /// The last chunk that starts at or before an offset, and the first chunk after the offset, in
    /// file order.
    private func chunks(
        around offset: Int64
    ) throws(AudioStreamError) -> (around: Chunk?, behind: Chunk?) {
        var around: Chunk?
        var behind: Chunk?
        var sample = 0
        for run in 0..<self.runs.count where sample < self.count {
            let (range, perChunk) = self.chunks(ofRun: run)
            guard perChunk > 0 else { continue }
            for chunk in range where sample < self.count {
                let start = try self.start(ofChunk: chunk)
                let found: Chunk = (start, sample, perChunk)
                if start <= offset {
                    if around.map({ $0.start <= start }) ?? true { around = found }
                } else if behind.map({ $0.start > start }) ?? true {
                    behind = found
                }
                sample += perChunk
            }
        }
        return (around, behind)
    }

    /// The first sample of the packet to which a sample belongs.
    private func groupStart(_ sample: Int) -> Int {
        guard self.grouping > 1 else { return sample }
        var before = 0
        for run in 0..<self.runs.count {
            let (range, perChunk) = self.chunks(ofRun: run)
            let inRun = range.count * perChunk
            if sample - before < inRun {
                let inChunk = (sample - before) % perChunk
                return sample - inChunk % self.grouping
            }
            before += inRun
        }
        return sample
    }
}
