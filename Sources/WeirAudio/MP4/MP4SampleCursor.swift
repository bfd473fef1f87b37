// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The place and the time of a packet, in the units of its track.
struct MP4Sample: Hashable, Sendable {
    /// The offset of the packet's first byte in the stream.
    var offset: Int64
    /// How many bytes the packet has, from 1.
    var size: Int
    /// When the packet is presented, before the edit list is applied.
    var time: Int64
    /// How long the packet lasts.
    var duration: Int64
    /// Whether decoding can start with the packet.
    var isSync: Bool
    /// The number of the packet's sample description, from 0; for an invalid number, the previous
    /// description stays in use.
    var description = 0

    /// When the packet ends, limited to the range of 64 bits.
    var end: Int64 {
        let (end, overflow) = self.time.addingReportingOverflow(self.duration)
        return overflow ? .max : end
    }
}

/// Walks over the samples of a track in decoding order, with a few table look-ups each.
struct MP4SampleCursor: Sendable {
    private let table: MP4SampleTable
    /// The number of the next sample, from 0.
    private(set) var sample = 0
    /// The position of the next sample in the chunks.
    private var run = 0
    private var chunk = 0
    private var lastChunk = 0
    private var samplesInChunk = 0
    private var leftInChunk = 0
    private var offset: Int64 = 0
    /// When the next sample is decoded.
    private var time: Int64 = 0
    private var timeRow = 0
    private var leftInTime = 0
    private var step: Int64 = 0
    /// How much later the next sample is presented.
    private var delayRow = 0
    private var leftInDelay = 0
    private var delay: Int64 = 0
    /// The next row of the table of sync samples.
    private var syncRow = 0

    /// A cursor before a sample.
    ///
    /// - Parameters:
    ///   - table: the tables.
    ///   - sample: from 0; for a number past the last sample, the cursor is at the end.
    /// - Throws: `malformed` if the offset of the sample's chunk is impossible.
    init(_ table: MP4SampleTable, at sample: Int = 0) throws(AudioStreamError) {
        self.table = table
        self.sample = min(max(0, sample), table.count)
        guard self.sample < table.count else { return }
        try self.placeInChunks()
        self.placeInTime()
        self.placeInDelays()
        if let syncs = table.syncs {
            while self.syncRow < syncs.count, syncs.number(self.syncRow) <= self.sample {
                self.syncRow += 1
            }
        }
    }

    /// The next sample, or a group of uncompressed samples; samples without bytes are skipped.
    ///
    /// - Returns: `nil` after the last sample.
    /// - Throws: `malformed` if the offset of a chunk is impossible.
    mutating func next() throws(AudioStreamError) -> MP4Sample? {
        while self.sample < self.table.count {
            while self.leftInChunk == 0 {
                guard try self.enterNextChunk() else { return nil }
            }
            if self.table.grouping > 1 { return self.nextGroup() }
            let size = self.table.sizes.size(self.sample)
            if self.leftInTime == 0 { self.enterTimeRow() }
            let found = MP4Sample(
                offset: self.offset,
                size: size,
                time: self.time &+ self.delay,
                duration: self.step,
                isSync: self.takeSync(),
                description: self.table.description(ofRun: self.run)
            )
            self.sample &+= 1
            self.leftInChunk &-= 1
            // A chunk starts below a quarter of the range of 64 bits, and a size has 32 bits.
            self.offset &+= Int64(size)
            self.time &+= self.step
            self.leftInTime &-= 1
            self.leaveDelay()
            if size > 0 { return found }
        }
        return nil
    }

    private mutating func nextGroup() -> MP4Sample? {
        let size = self.table.sizes.size(self.sample)
        let count = min(self.leftInChunk, self.table.grouping, self.table.count - self.sample)
        let found = MP4Sample(
            offset: self.offset,
            size: size * count,
            time: self.time,
            duration: Int64(count),
            isSync: true
        )
        self.sample += count
        self.leftInChunk -= count
        self.offset &+= Int64(size * count)
        self.time += Int64(count)
        return found
    }

    // MARK: Chunks

    private mutating func placeInChunks() throws(AudioStreamError) {
        var before = 0
        for run in 0..<self.table.runs.count {
            let (range, perChunk) = self.table.chunks(ofRun: run)
            let inRun = range.count * perChunk
            guard self.sample - before < inRun else {
                before += inRun
                continue
            }
            let (chunk, inChunk) = (self.sample - before).quotientAndRemainder(dividingBy: perChunk)
            self.run = run
            self.chunk = range.lowerBound + chunk
            self.lastChunk = range.upperBound
            self.samplesInChunk = perChunk
            self.leftInChunk = perChunk - inChunk
            let passed = self.table.sizes.total(self.sample - inChunk..<self.sample)
            self.offset = try self.table.start(ofChunk: self.chunk) &+ min(passed, .max / 4)
            return
        }
    }

    private mutating func enterNextChunk() throws(AudioStreamError) -> Bool {
        self.chunk += 1
        while self.chunk >= self.lastChunk {
            self.run += 1
            guard self.run < self.table.runs.count else { return false }
            let (range, perChunk) = self.table.chunks(ofRun: self.run)
            // Skip all chunks without samples at once.
            self.chunk = perChunk > 0 ? range.lowerBound : range.upperBound
            self.lastChunk = range.upperBound
            self.samplesInChunk = perChunk
        }
        self.leftInChunk = self.samplesInChunk
        self.offset = try self.table.start(ofChunk: self.chunk)
        return true
    }

    // MARK: Times

    private mutating func placeInTime() {
        var before = 0
        for row in 0..<self.table.times.count {
            let count = self.table.times.number(row)
            let step = Int64(self.table.times.number(row, 4))
            let passed = min(count, self.sample - before)
            // The sum is at most the duration of the track, which was checked.
            self.time += Int64(passed) * step
            guard before + count <= self.sample else {
                self.timeRow = row + 1
                self.leftInTime = count - passed
                self.step = step
                return
            }
            before += count
        }
    }

    private mutating func enterTimeRow() {
        while self.leftInTime == 0, self.timeRow < self.table.times.count {
            self.leftInTime = self.table.times.number(self.timeRow)
            self.step = Int64(self.table.times.number(self.timeRow, 4))
            self.timeRow += 1
        }
    }

    private mutating func placeInDelays() {
        var before = 0
        while self.delayRow < self.table.delays.count {
            let count = self.table.delays.number(self.delayRow)
            if self.sample < before + count {
                self.enterDelayRow()
                self.leftInDelay = before + count - self.sample
                return
            }
            before += count
            self.delayRow += 1
        }
    }

    private mutating func enterDelayRow() {
        self.leftInDelay = self.table.delays.number(self.delayRow)
        // The numbers are unsigned in version 0, but QuickTime wrote negative numbers there too.
        self.delay = Int64(Int32(truncatingIfNeeded: self.table.delays.number(self.delayRow, 4)))
        self.delayRow += 1
    }

    @inline(__always)
    private mutating func leaveDelay() {
        guard self.table.delays.count > 0 else { return }
        if self.leftInDelay > 0 { self.leftInDelay -= 1 }
        while self.leftInDelay == 0 {
            self.delay = 0
            guard self.delayRow < self.table.delays.count else { return }
            self.enterDelayRow()
        }
    }

    @inline(__always)
    private mutating func takeSync() -> Bool {
        guard let syncs = self.table.syncs else { return true }
        guard self.syncRow < syncs.count, syncs.number(self.syncRow) <= self.sample + 1 else {
            return false
        }
        let isSync = syncs.number(self.syncRow) == self.sample + 1
        self.syncRow += 1
        return isSync
    }
}
