// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds the frames of native FLAC (RFC 9639).
///
/// A frame has no length: it ends where the CRC-16 of all its bytes fits and another header, with a CRC-8 of its own,
/// starts. So the bytes are gone through once, looking for sync codes; at each that begins a valid header the checksum
/// is taken up to there. What ends before something else than a header (the last frame, one before garbage or a tag)
/// is followed through its structure instead, see ``FLACFrameBody``. After damage only frames that pass as a whole are
/// believed: header, structure and checksum.
///
/// All that is looked at in vain is paid from a credit that grows with the bytes that go by, so that no stream, however
/// it was made, takes more than a constant time for each of its bytes.
struct FLACParser: SteppingParser {
    /// What the window's first byte is.
    enum State: Hashable, Sendable {
        /// The first byte of the stream, or after a discontinuity.
        case start
        /// The header of a metadata block.
        case block
        /// A point of the seek table, with so many bytes of the block to come.
        case seekPoints(remaining: Int)
        /// Where a frame should start, a tag, or the end.
        case boundary
        /// The header of a frame, which is in ``FLACParser/header``.
        case frame
        /// Anything; a frame is looked for.
        case lost(from: Int64, AudioStreamTrouble.Kind)
        /// The end of the stream.
        case end
    }

    let limits: AudioStreamLimits
    let length: Int64?
    var state = State.start
    var tagReader: TagReader
    /// Events that are to be given out before the parser goes on.
    var queue: [AudioStreamEvent] = []
    var format: AudioFormat?

    // MARK: Metadata

    var info: FLACStreamInfo?
    var isLastBlock = false
    var blocks = 0
    /// Where the last block is.
    var block: Range<Int64> = 0..<0
    /// Where the stream's first marker is.
    var markerOffset: Int64?
    var firstFrameOffset: Int64?
    var seekTable = FLACSeekTable()

    // MARK: The frame at the front

    var header: FLACFrameHeader?
    /// How many bytes of it hold no end, as far as is known.
    var scanned = 0
    /// How many bytes of it ``checksum`` covers.
    var hashed = 0
    var checksum: UInt16 = 0
    /// How many bytes must be there before its structure is tried again.
    var retryCount = 0

    // MARK: Where in time it is

    /// How many samples a block but the last has, in streams that count frames.
    var nominalBlockSize: Int?
    /// Whether frame numbers count samples though the header says otherwise, as before 2007.
    var countsSamples = false
    /// The number that the next frame should have; `nil` after a discontinuity.
    var expectedNumber: UInt64?
    /// How many streams were before this one, put together in one file.
    var section = 0
    /// When the section starts, on the time line.
    var sectionStart = SampleCount.zero
    /// Where the last packet ended.
    var end = SampleCount.zero
    /// The byte behind it; `nil` before the first of the section.
    var reachedOffset: Int64?
    /// Whether every packet from the first sample on was seen.
    var isUnbroken = false
    /// Whether there has been a packet in this section.
    var hasPackets = false
    /// Whether the stream ends before the samples do that STREAMINFO tells of.
    var isCutShort = false

    /// How many bytes may yet be looked at in vain.
    var credit = Self.maximumCredit

    /// The credit that a stream begins with, and never exceeds.
    static let maximumCredit = 8 << 20

    /// A parser at the front of a stream, or anywhere in it.
    ///
    /// - Parameters:
    ///   - limits: how much it keeps.
    ///   - length: of the stream in bytes, if known.
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

    /// See ``FormatParser/discontinued(start:)``; the time is not used: frames say theirs.
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

    // MARK: Bytes go by

    /// Goes on by bytes that are there.
    mutating func pass(_ count: Int, _ window: inout ByteWindow) {
        window.drop(count)
        self.gain(count)
    }

    /// Adds to the credit for bytes that went by.
    mutating func gain(_ count: Int) {
        self.credit = min(Self.maximumCredit, self.credit + min(count, Self.maximumCredit) * 4)
    }

    /// Takes bytes that were looked at from the credit.
    mutating func spend(_ count: Int) {
        self.credit = max(0, self.credit - count)
    }
}
