// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The tables of a track, kept as the runs in which they are stored (ISO 14496-12 §8.6 and §8.7).
///
///     stts   runs of: how many samples, how long each of them lasts
///     ctts   runs of: how many samples, how much later than decoded they are presented
///     stsc   runs of: first chunk, samples in each chunk, kind of samples
///     stsz   the size of all samples, or of each; stz2 in 4, 8 or 16 bits
///     stco   where each chunk starts, co64 in 64 bits
///     stss   the samples with which decoding may start; all samples without this table
///
/// The tables are not trusted: the initializer checks once that they agree, in a time proportional
/// to their size.
struct MP4SampleTable: Sendable {
    /// `stts`: how many, how long.
    let times: MP4Table
    /// `ctts`: how many, how much later.
    let delays: MP4Table
    /// `stsc`: first chunk from 1, samples in a chunk, kind.
    let runs: MP4Table
    /// `stco` or `co64`.
    let chunks: MP4Table
    /// Whether ``chunks`` has 64 bits a row.
    let hasWideOffsets: Bool
    /// `stss`: numbers from 1; `nil`: all.
    let syncs: MP4Table?
    /// `stsz` or `stz2`.
    let sizes: MP4SampleSizes
    /// How many uncompressed samples one packet has; 1 for coded audio.
    let grouping: Int
    /// How long all samples last.
    let duration: Int64
    /// The offset of the tables' box, for errors that are found later.
    let offset: Int64

    /// The most uncompressed samples of a packet.
    static let largestGroup = 1_024

    /// How many samples there are.
    var count: Int { self.sizes.count }

    /// How many bytes all samples have, limited to the range of 64 bits.
    var byteCount: Int64 { self.sizes.total }

    /// Reads the tables of a `stbl`.
    ///
    /// - Parameters:
    ///   - box: the `stbl`.
    ///   - frameSize: how many bytes an uncompressed sample has in all channels; `nil` for coded
    ///     audio.
    /// - Throws: `malformed` if a required table is missing, is too short, or contradicts another.
    init(_ box: MP4Box, frameSize: Int?) throws(AudioStreamError) {
        var times = MP4Table.empty
        var delays = MP4Table.empty
        var runs = MP4Table.empty
        var chunks = MP4Table.empty
        var hasWideOffsets = false
        var syncs: MP4Table?
        var sizes = MP4SampleSizes.none
        var children = box.children
        while let child = try children.next() {
            switch child.type {
            case "stts": times = try MP4Table(child, stride: 8)
            case "ctts": delays = try MP4Table(child, stride: 8)
            case "stsc": runs = try MP4Table(child, stride: 12)
            case "stco": chunks = try MP4Table(child, stride: 4)
            case "co64":
                chunks = try MP4Table(child, stride: 8)
                hasWideOffsets = true
            case "stss": syncs = try MP4Table(child, stride: 4)
            case "stsz": sizes = try MP4SampleSizes(child)
            case "stz2": sizes = try MP4SampleSizes(compact: child)
            default: break
            }
        }
        let isCounted =
            frameSize != nil && sizes.constant != nil && times.count == 1 && times.number(0, 4) == 1
        if isCounted, let frameSize { sizes.constant = frameSize }
        self.times = times
        self.delays = delays
        self.runs = runs
        self.chunks = chunks
        self.hasWideOffsets = hasWideOffsets
        self.syncs = syncs.flatMap { $0.count > 0 ? $0 : nil }
        self.sizes = sizes
        self.grouping = isCounted ? Self.largestGroup : 1
        self.offset = box.offset
        self.duration = try Self.duration(times, of: sizes.count, in: box)
        try Self.check(runs, chunkCount: chunks.count, sampleCount: sizes.count, in: box)
    }

    /// The offset of a chunk.
    ///
    /// - Parameter chunk: from 0, less than the number of chunks.
    /// - Returns: an offset in the stream, below a quarter of the range of 64 bits.
    /// - Throws: `malformed` if the offset is larger.
    func start(ofChunk chunk: Int) throws(AudioStreamError) -> Int64 {
        guard self.hasWideOffsets else { return Int64(self.chunks.number(chunk)) }
        let start = self.chunks.wide(chunk)
        guard start < UInt64(Int64.max / 4) else {
            throw AudioStreamError(
                .malformed,
                at: self.offset,
                "A chunk lies beyond the largest possible offset"
            )
        }
        return Int64(start)
    }

    /// The chunks of a run.
    ///
    /// - Parameter run: a row of ``runs``.
    /// - Returns: the numbers of its chunks from 0, and how many samples each of them has.
    @inline(__always)
    func chunks(ofRun run: Int) -> (range: Range<Int>, sampleCount: Int) {
        let first = self.runs.number(run) - 1
        let end = run + 1 < self.runs.count ? self.runs.number(run + 1) - 1 : self.chunks.count
        return (first..<end, self.runs.number(run, 4))
    }

    /// The sample description of a run, from 0.
    @inline(__always)
    func description(ofRun run: Int) -> Int { self.runs.number(run, 8) - 1 }

    private static func duration(
        _ times: MP4Table,
        of sampleCount: Int,
        in box: MP4Box
    ) throws(AudioStreamError) -> Int64 {
        var left = sampleCount
        var all: Int64 = 0
        for row in 0..<times.count where left > 0 {
            let count = min(left, times.number(row))
            guard count > 0 else { continue }
            let (length, isTooLong) = Int64(times.number(row, 4))
                .multipliedReportingOverflow(by: Int64(count))
            all = isTooLong || length > Int64.max / 4 - all ? .max : all + length
            guard all < Int64.max / 4 else {
                throw box.fault("The track is longer than the largest possible time")
            }
            left -= count
        }
        guard left == 0 else {
            throw box.fault("The table of times has fewer samples than the table of sizes")
        }
        return all
    }

    private static func check(
        _ runs: MP4Table,
        chunkCount: Int,
        sampleCount: Int,
        in box: MP4Box
    ) throws(AudioStreamError) {
        guard sampleCount > 0 else { return }
        var total = 0
        for run in 0..<runs.count {
            let first = runs.number(run)
            let end = run + 1 < runs.count ? runs.number(run + 1) : chunkCount + 1
            guard run == 0 ? first == 1 : true, first < end, end <= chunkCount + 1 else {
                throw box.fault("The table of chunk runs contradicts the table of chunks")
            }
            // The runs share at most 2^32 chunks of 2^32 samples; tables in memory have far fewer.
            total += (end - first) * runs.number(run, 4)
        }
        guard total >= sampleCount else {
            throw box.fault("The chunks have fewer samples than the table of sizes")
        }
    }
}
