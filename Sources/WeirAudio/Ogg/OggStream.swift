// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The played logical stream, from its first page to its last.
struct OggStream: Sendable {
    /// The serial number of the stream's pages.
    let serial: UInt32
    /// The number of the stream among the streams that follow each other, from 0.
    let section: Int
    /// The header packets, until they are complete.
    var headers: OggHeaders?
    /// Whether the headers are complete.
    var isAudio = false
    /// How the packets relate to time, if ``isAudio``.
    var timing = OggTiming.flac
    /// The last reported format.
    var format: AudioFormat?
    /// How many samples the headers declare; only FLAC declares a number.
    var declaredCount: Int64?

    // MARK: Pages

    /// The number of the last page; `nil` at the start and after a discontinuity.
    var sequence: UInt32?
    /// The offset at which the last page ended.
    var lastPageEnd: Int64
    /// A packet that continues on the next page.
    var partial = OggPartialPacket()
    /// Whether a packet without its start continues on the next page.
    var isSkippingPacket = false

    // MARK: Time

    /// The start time of the next packet; without ``isTimed``, the start if no bytes are missing.
    var position: Int64 = 0
    /// Whether ``position`` comes from a granule position.
    var isTimed = false
    /// Whether the present page was examined for its time.
    var isPageCounted = false
    /// Whether the granule position of the present page belongs to audio, and not only to headers.
    var isPageAudio = false
    /// When the first packet of the present page starts.
    var pageStart: Int64 = 0
    /// When the first packet of the stream starts; `nil` until its page has arrived.
    var firstStart: Int64?
    /// Samples before this time are not heard.
    var audibleStart: Int64 = 0

    // MARK: Counts

    /// The offset at which the first audio packet may start; `nil` while headers are read.
    var audioOffset: Int64?
    /// The last page with a time: the offset of its end, and when the last packet that ends in the
    /// page ends.
    var lastMark: (offset: Int64, time: Int64)?
    /// How many bytes the packets have.
    var payloadByteCount: Int64 = 0
    /// How many samples are trimmed at the end.
    var trimmedAtEnd: Int64 = 0
    /// Whether all of the stream was read without a gap.
    var isWhole = true
    /// Whether the time is still unknown after a jump.
    var isAway = false
    /// Whether this stream began alone, without other multiplexed streams.
    var isAlone = true

    /// - Parameters:
    ///   - page: the first page of the stream.
    ///   - section: the number of the stream.
    ///   - headers: the first packet of the stream.
    init(_ page: OggPage, section: Int, headers: OggHeaders) {
        self.serial = page.header.serial
        self.section = section
        self.headers = headers
        self.lastPageEnd = page.offset
    }

    /// Prepares for bytes that do not follow the last ones.
    mutating func discontinued() {
        self.sequence = nil
        self.isWhole = false
        self.isAway = true
        self.forget()
    }

    /// Discards the open packet and the time.
    private mutating func forget() {
        self.partial.close()
        self.isSkippingPacket = false
        self.isTimed = false
        self.timing.reset()
    }

    /// Whether the stream has had fewer samples than its headers declare.
    var isShort: Bool {
        guard let declared = self.declaredCount, self.isTimed || self.isWhole else { return false }
        return self.position - self.audibleStart < declared
    }

    // MARK: Checking pages

    /// Checks how a page continues the page before (RFC 3533 §6).
    ///
    /// - Parameters:
    ///   - page: a page of this stream; the call takes from it the rest of a packet without a
    ///     start.
    ///   - isDamageReported: whether bytes before the page were skipped, with a trouble event.
    ///   - events: receives the events about the page.
    mutating func begin(
        _ page: inout OggPage,
        isDamageReported: Bool,
        events: inout [AudioStreamEvent]
    ) {
        var isJoined = self.sequence == nil
        if let sequence = self.sequence, page.header.sequence != sequence &+ 1 {
            if !isDamageReported {
                let range = min(self.lastPageEnd, page.offset)..<page.offset
                events.append(.trouble(AudioStreamFailure(.missing, range)))
            }
            self.forget()
            isJoined = true
        }
        self.sequence = page.header.sequence
        self.lastPageEnd = page.end
        if !page.header.isContinued {
            if self.partial.isOpen {
                let range = min(self.partial.offset, page.offset)..<page.offset
                events.append(.trouble(AudioStreamFailure(.contradiction, range)))
                self.partial.close()
                self.isTimed = false
                self.timing.reset()
            }
            self.isSkippingPacket = false
        } else if !self.partial.isOpen {
            if !isJoined, !self.isSkippingPacket {
                events.append(.trouble(AudioStreamFailure(.contradiction, page.offset..<page.end)))
            }
            if let piece = page.next() { self.isSkippingPacket = !piece.isEnd }
        }
        self.isPageCounted = false
        self.isPageAudio = self.isAudio
        self.pageStart = self.position
    }

    /// Takes the time from a page whose packets were all taken.
    ///
    /// The granule position is the end of the last packet that ends in the page, and replaces the
    /// counted time.
    mutating func end(_ page: OggPage, events: inout [AudioStreamEvent]) {
        guard self.isPageAudio, let granule = page.header.granule,
            page.endsPacket || page.header.isLast
        else { return }
        let time = self.timing.time(of: granule)
        if self.isTimed, time < (page.endsPacket ? self.pageStart : self.position) {
            events.append(.trouble(AudioStreamFailure(.contradiction, page.offset..<page.end)))
        }
        guard page.endsPacket else { return }
        self.position = time
        self.isTimed = true
        self.isAway = false
        self.lastMark = (page.end, time)
    }
}
