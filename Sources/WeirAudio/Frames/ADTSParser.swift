// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Parses AAC in an Audio Data Transport Stream (ISO 13818-7, 14496-3).
///
/// A packet includes its ADTS header; ``AudioPacket/headerCount`` is the length of the header. The
/// first packet starts at 0, or at the time given with a discontinuity. Each raw data block lasts
/// 1024 samples. Every packet is independent: it needs no bytes of other packets. Its first 1024
/// samples are right only if the decoder had the packet before, which overlaps them. ADTS does not
/// state how many samples an encoder added at the ends, so the parser trims nothing.
///
/// For HE-AAC, ADTS states only the core's format. A core of up to 24 kHz may decode to twice the
/// rate, and from one channel to two (``AudioFormat/mayDecodeToDoubleRate``).
struct ADTSParser: FrameParser {
    static let noFrame = "The stream has no ADTS frame of AAC"

    private let limits: AudioStreamLimits
    private let length: Int64?
    var sync: FrameSync<ADTSHeader>
    var tally = FrameTally()
    private var time: Int64 = 0
    var reported: AudioFormat?
    private(set) var first: Bisection.Mark?
    var queue: [AudioStreamEvent] = []
    private var generation = 0
    private(set) var section = 0
    /// How many blocks each packet had up to now; `nil` if the number varies.
    private var blockCount: Int?
    /// The number of frames at which the parser checks the format again.
    var nextReport: Int64 = 16
    private(set) var wasDiscontinued = false
    var isAtEnd = false

    /// A parser at the start of a stream, or anywhere in it.
    ///
    /// - Parameters:
    ///   - limits: how much memory the parser may use.
    ///   - length: how many bytes the stream has, if known.
    init(limits: AudioStreamLimits, length: Int64?) {
        self.limits = limits
        self.length = length
        self.sync = FrameSync(limits: limits, length: length)
    }

    @inline(__always)
    mutating func take(
        _ header: ADTSHeader,
        _ size: Int,
        _ window: inout ByteWindow
    ) throws(AudioStreamError) -> AudioPacket? {
        guard size <= self.limits.packet else { throw .longFrame(at: window.offset) }
        let isSteady =
            self.generation == self.sync.generation && self.tally.frames < self.nextReport
            && self.blockCount == header.blockCount
        if !isSteady, !self.isReady(header, window.offset) { return nil }
        return self.packet(header, size, &window)
    }

    mutating func discontinued(start: SampleCount?) {
        self.sync.discontinued()
        self.tally.discontinued()
        self.isAtEnd = false
        self.wasDiscontinued = true
        if let start { self.time = start.rawValue }
    }

    @inline(__always)
    private mutating func packet(_ header: ADTSHeader, _ size: Int, _ window: inout ByteWindow)
        -> AudioPacket
    {
        let start = SampleCount(self.time)
        let samples = header.sampleCount
        self.time &+= Int64(samples)
        let offset = window.offset
        self.tally.count(offset: offset, size: size, start: start, duration: samples)
        var packet = AudioPacket(
            payload: window.take(size),
            offset: offset,
            start: start,
            duration: SampleCount(Int64(samples))
        )
        packet.headerCount = header.headerCount
        packet.section = self.section
        return packet
    }

    /// Queues the format events that must precede a frame.
    ///
    /// - Returns: whether the queue is empty, so that the frame can become a packet.
    private mutating func isReady(_ header: ADTSHeader, _ offset: Int64) -> Bool {
        if self.generation != self.sync.generation {
            self.generation = self.sync.generation
            if let reported = self.reported {
                self.section += 1
                if reported.sampleRate != header.sampleRate {
                    let (old, new) = (reported.sampleRate, header.sampleRate)
                    self.time = self.time.scaled(by: Int64(new), over: Int64(old)) ?? self.time
                    self.tally.rescale(from: old, to: new)
                }
            }
            self.first = Bisection.Mark(offset: offset, start: SampleCount(self.time))
            self.blockCount = header.blockCount
            self.report(header)
        } else if self.tally.frames >= self.nextReport {
            self.nextReport &*= 4
            self.report(header)
        } else if self.blockCount != nil {
            self.blockCount = nil
            self.report(header)
        }
        return self.queue.isEmpty
    }

    func format(_ header: ADTSHeader) -> AudioFormat {
        var format = AudioFormat(
            container: .adts,
            codec: .aac(objectType: header.objectType),
            sampleRate: header.sampleRate,
            channelCount: header.channelCount
        )
        format.section = self.section
        format.configuration = header.configuration
        format.samplesPerPacket = self.blockCount.map { $0 * 1024 }
        format.mayDecodeToDoubleRate = header.sampleRate <= 24_000
        let isCounted = self.tally.isFinished
        format.bitRate = self.tally.average(sampleRate: header.sampleRate).map {
            AudioBitRate($0, isCounted ? .average : .measured)
        }
        if isCounted {
            format.duration = AudioDuration(SampleCount(self.tally.samples), .exact)
        } else if let length = self.length, let first = self.first, length > first.offset,
            let end = self.tally.places(from: first, to: length, at: nil, density: nil).last
        {
            format.duration = AudioDuration(end.start, .estimated)
        }
        return format
    }

    func seekMap(length: Int64?) -> SeekMap? {
        guard let header = self.sync.pattern, let first = self.first,
            self.tally.measured.samples > 0
        else { return nil }
        let isCounted = self.tally.isFinished
        return SeekMap(
            FrameSeekMethod(
                pattern: header,
                freeSize: 0,
                first: first,
                end: isCounted ? self.tally.endOffset : length ?? self.length,
                endStart: isCounted ? self.tally.end : nil,
                tally: self.tally,
                rate: .measured(density: nil)
            )
        )
    }
}
