// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Cuts WAVE files into packets: RIFF, RIFX, RF64 and BW64 (EBU Tech 3306, ITU-R BS.2088).
///
///     RIFF | size 32 | WAVE | chunks: id 32 | size 32 | … | [a byte up to an even count]
///
/// A packet has 4096 bytes, rounded down to whole blocks, or one larger block. The first packet
/// starts at the start of the data.
struct WAVEParser: SteppingParser {
    /// The role of the window's first byte.
    enum State: Hashable, Sendable {
        /// The first byte of the stream.
        case start
        /// The header of a chunk.
        case chunk
        /// An ID3v2 tag in the chunk with this range.
        case tag(Range<Int64>)
        /// The padding byte after a chunk with an odd size.
        case padding
        /// Samples.
        case data
        /// Not a chunk; the parser looks for `fmt ` or `data`.
        case lost(from: Int64)
        /// Any byte, after a discontinuity.
        case displaced
        /// Bytes that are not needed.
        case rest
    }

    /// The most bytes of a packet, unless a block has more.
    static let packetSize = 4096

    let limits: AudioStreamLimits
    let length: Int64?
    var state = State.start
    var tagReader: TagReader
    /// Events to return before the parser goes on.
    var queue: [AudioStreamEvent] = []

    var isBig = false
    /// The size of the data chunk according to a `ds64` chunk.
    var longDataSize: Int64?
    var chunk: WAVEFormatChunk?
    /// The format as far as known; the parser reports it first when it reaches the data.
    var format: AudioFormat?
    /// Whether the format was never reported.
    var isSilent = true

    /// The offset at which the samples start.
    var dataStart: Int64?
    /// The offset at which the samples end; `nil` if they end with the stream.
    var dataEnd: Int64?
    /// How many bytes a packet has.
    var packetSize = 0
    /// When the first sample of the data chunk is played: later than 0 if another data chunk
    /// precedes it.
    var dataTime = SampleCount.zero
    /// The time at which the last packet ended.
    var end = SampleCount.zero
    /// Whether everything from the first sample on was read.
    var isUnbroken = true
    /// Whether the stream ends before its data chunk does.
    var isCutShort = false

    /// A parser at the front of a stream.
    ///
    /// - Parameters:
    ///   - limits: how much memory the parser may use.
    ///   - length: the length of the stream in bytes, if known.
    init(limits: AudioStreamLimits, length: Int64?) {
        self.limits = limits
        self.length = length
        self.tagReader = TagReader(limits: limits, length: length)
    }

    mutating func step(_ window: inout ByteWindow) throws(AudioStreamError) -> ParserStep {
        switch self.state {
        case .data: return self.readData(&window)
        case .start: return try self.readStart(&window)
        case .chunk: return try self.readChunk(&window)
        case .tag(let range): return self.readTag(range, &window)
        case .padding: return self.readPadding(&window)
        case .lost(let from): return try self.findChunk(from, &window)
        case .displaced: return self.readDisplaced(&window)
        case .rest:
            window.drop(window.count)
            return .needsMore
        }
    }

    /// See ``FormatParser/discontinued(start:)``; the offset determines the time, so `start` is not
    /// used.
    mutating func discontinued(start: SampleCount?) {
        self.queue.removeAll { if case .format = $0 { false } else { true } }
        self.isUnbroken = false
        self.state = .displaced
    }

    func seekMap(length: Int64?) -> SeekMap? {
        guard let start = self.dataStart, let chunk = self.chunk else { return nil }
        let length = length ?? self.length
        let end = [self.dataEnd, length].compactMap { $0 }.min()
        return SeekMap(
            WAVESeekMethod(
                start: start,
                end: end.map { max($0, start) },
                blockSize: chunk.blockSize,
                packetSize: self.packetSize
            )
        )
    }
}

/// Computes times and offsets in a WAVE file.
struct WAVESeekMethod: SeekMethod {
    /// The offset at which the samples start.
    let start: Int64
    /// The offset at which the samples end, if known.
    let end: Int64?
    /// How many bytes one sample of each channel has in total.
    let blockSize: Int
    /// How many bytes a packet has, a multiple of the block size.
    let packetSize: Int

    func search(for time: SampleCount) -> any SeekSearching {
        let perPacket = Int64(self.packetSize / self.blockSize)
        let index = max(0, time.rawValue) / perPacket
        return self.point(of: min(index, self.lastPacket))
    }

    func time(at offset: Int64) -> SeekPoint? {
        let index = max(0, offset - self.start) / Int64(self.packetSize)
        return self.point(of: min(index, self.lastPacket))
    }

    /// The number of the last packet; the largest possible number if the end is unknown.
    private var lastPacket: Int64 {
        let bytes = self.end.map { $0 - self.start } ?? (1 << 62) - self.start
        let whole = bytes / Int64(self.blockSize) * Int64(self.blockSize)
        return max(0, (whole - 1) / Int64(self.packetSize))
    }

    private func point(of index: Int64) -> SeekPoint {
        SeekPoint(
            offset: self.start + index * Int64(self.packetSize),
            start: SampleCount(index * Int64(self.packetSize / self.blockSize)),
            precision: .exact
        )
    }
}
