// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds the frames of native FLAC (RFC 9639).
///
/// A frame does not state its length. It ends where the CRC-16 of all its bytes matches and another
/// header, with its own CRC-8, starts. The parser therefore scans the bytes once for sync codes. At
/// each code that begins a valid header, it computes the checksum of the bytes before that code. If
/// no header follows a frame (the last frame, or one before garbage or a tag), the parser follows
/// the frame's structure instead, see ``FLACFrameBody``. After damage, the parser accepts only
/// frames that are valid as a whole: header, structure and checksum.
///
/// A credit limits how many bytes the parser examines without finding a frame. The credit grows
/// with each passed byte, so that every stream, even a hostile one, takes at most a constant time
/// for each byte.
struct FLACParser: SteppingParser {
    /// The role of the window's first byte.
    enum State: Hashable, Sendable {
        /// The first byte of the stream, or after a discontinuity.
        case start
        /// The header of a metadata block.
        case block
        /// A point of the seek table; the value is how many bytes of the block are left.
        case seekPoints(remaining: Int)
        /// The place where a frame, a tag or the end of the stream should be.
        case boundary
        /// The header of a frame; the parser has read it into ``FLACParser/header``.
        case frame
        /// Any byte; the parser looks for a frame.
        case lost(from: Int64, AudioStreamFailure.Kind)
        /// The end of the stream.
        case end
    }

    let limits: AudioStreamLimits
    let length: Int64?
    var state = State.start
    var tagReader: TagReader
    /// Events to return before the parser goes on.
    var queue: [AudioStreamEvent] = []
    var format: AudioFormat?

    // MARK: Metadata

    var info: FLACStreamInfo?
    var isLastBlock = false
    var blocks = 0
    /// The range of the last block.
    var block: Range<Int64> = 0..<0
    /// The offset of the stream's first marker.
    var markerOffset: Int64?
    var firstFrameOffset: Int64?
    var seekTable = FLACSeekTable()

    // MARK: The frame at the front

    var header: FLACFrameHeader?
    /// How many bytes of the frame were scanned without finding its end.
    var scanned = 0
    /// How many bytes of the frame ``checksum`` covers.
    var hashed = 0
    var checksum: UInt16 = 0
    /// How many bytes are needed before the parser tries the structure again.
    var retryCount = 0

    // MARK: Time

    /// How many samples a block has, except the last, in streams that count frames.
    var nominalBlockSize: Int?
    /// Whether frame numbers count samples although the header says otherwise, as before 2007.
    var countsSamples = false
    /// The number that the next frame should have; `nil` after a discontinuity.
    var expectedNumber: UInt64?
    /// The number of the section, from 0; each joined stream and each change of the format begins a
    /// new section.
    var section = 0
    /// When the section starts, on the time line.
    var sectionStart = SampleCount.zero
    /// The time at which the last packet ended.
    var end = SampleCount.zero
    /// The offset at which the last packet ends; `nil` before the first packet of the section.
    var reachedOffset: Int64?
    /// Whether every packet from the first sample on was seen.
    var isUnbroken = false
    /// Whether there has been a packet in this section.
    var hasPackets = false
    /// Whether the stream ends before the samples that STREAMINFO states.
    var isCutShort = false

    /// How many more bytes the parser may examine without finding a frame.
    var credit = Self.maximumCredit

    /// The credit at the start of a stream, and its maximum.
    static let maximumCredit = 8 << 20

    /// A parser at the front of a stream, or anywhere in it.
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
        case .start: return self.readStart(&window)
        case .block: return self.readBlock(&window)
        case .seekPoints(let remaining): return self.readSeekPoints(remaining, &window)
        case .boundary: return self.readBoundary(&window)
        case .frame: return self.readFrame(&window)
        case .lost(let from, let kind): return self.findFrame(from, kind, &window)
        case .end:
            guard self.format != nil else {
                throw AudioStreamError(.ended, at: window.offset, "The FLAC stream has no frame")
            }
            return .needsMore
        }
    }

    /// See ``FormatParser/discontinued(start:)``; frames state their times, so `start` is not used.
    mutating func discontinued(start: SampleCount?) {
        self.state = .start
        self.header = nil
        self.expectedNumber = nil
        self.isUnbroken = false
        self.queue.removeAll { if case .format = $0 { false } else { true } }
        self.tagReader = TagReader(limits: self.limits, length: self.length)
    }

    func seekMap(length: Int64?) -> SeekMap? {
        guard let method = FLACSeekMethod(self, length: length ?? self.length) else { return nil }
        return SeekMap(method)
    }

    // MARK: Passing bytes

    /// Drops bytes that the window has.
    mutating func pass(_ count: Int, _ window: inout ByteWindow) {
        window.drop(count)
        self.gain(count)
    }

    /// Adds to the credit for bytes that were passed.
    mutating func gain(_ count: Int) {
        self.credit = min(Self.maximumCredit, self.credit + min(count, Self.maximumCredit) * 4)
    }

    /// Subtracts examined bytes from the credit.
    mutating func spend(_ count: Int) {
        self.credit = max(0, self.credit - count)
    }
}
