// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The logical stream that is played, from its first page to its last.
struct OggStream: Sendable {
    /// The serial number of its pages.
    let serial: UInt32
    /// Which of the streams that follow each other it is, from 0.
    let section: Int
    /// Its header packets, until they are complete.
    var headers: OggHeaders?
    /// Whether the headers are complete.
    var isAudio = false
    /// How its packets stand for time, if ``isAudio``.
    var timing = OggTiming.flac
    /// What was reported of its format last.
    var format: AudioFormat?
    /// How many samples its headers say that it has; only those of FLAC do.
    var declaredCount: Int64?

    // MARK: Pages

    /// The number of its last page; `nil` at the start and after a discontinuity.
    var sequence: UInt32?
    /// Where its last page ended.
    var lastPageEnd: Int64
    /// A packet that goes on with the next page.
    var partial = OggPartialPacket()
    /// Whether the packet that goes on with the next page is one of which the start was missed.
    var isSkippingPacket = false

    // MARK: Time

    /// When the next packet starts, if ``isTimed``; if not, when it would if nothing were missing.
    var position: Int64 = 0
    /// Whether ``position`` follows from a granule position.
    var isTimed = false
    /// Whether the page that is being taken apart was looked through for its time.
    var isPageCounted = false
    /// Whether the granule position of that page is one of audio, and not of headers alone.
    var isPageAudio = false
    /// When the first packet of the page starts.
    var pageStart: Int64 = 0
    /// When the first packet of the stream starts; `nil` until its page has come.
    var firstStart: Int64?
    /// What is before this is not heard.
    var audibleStart: Int64 = 0

    // MARK: Account

    /// Where its first audio packet is to be looked for; `nil` while headers are read.
    var audioOffset: Int64?
    /// The last page that told a time: its end, and when the last packet that ends in it ends.
    var lastMark: (offset: Int64, time: Int64)?
    /// How many bytes its packets have.
    var payloadByteCount: Int64 = 0
    /// How many samples are trimmed at its end.
    var trimmedAtEnd: Int64 = 0
    /// Whether all of it was read in a row.
    var isWhole = true
    /// Whether no page has come yet since a jump that tells the time.
    var isAway = false
    /// Whether no other streams began with it.
    var isAlone = true

    /// - Parameters:
    ///   - page: its first page.
    ///   - section: its number.
    ///   - headers: its first packet.
    init(_ page: OggPage, section: Int, headers: OggHeaders) {
        self.serial = page.header.serial
        self.section = section
        self.headers = headers
        self.lastPageEnd = page.offset
    }

    /// The next bytes do not follow the last ones.
    mutating func discontinued() {
        self.sequence = nil
        self.isWhole = false
        self.isAway = true
        self.forget()
    }

    /// There is nothing to go on with: not a packet, not a time.
    private mutating func forget() {
        self.partial.close()
        self.isSkippingPacket = false
        self.isTimed = false
        self.timing.reset()
    }

    /// Whether it has had fewer samples than its headers say.
    var isShort: Bool {
        guard let declared = self.declaredCount, self.isTimed || self.isWhole else { return false }
        return self.position - self.audibleStart < declared
    }

    // MARK: A page comes

    /// Looks at how a page goes on from the one before (RFC 3533 §6).
    ///
    /// - Parameters:
    ///   - page: a page of this stream; the rest of a packet of which the start was missed is taken from it.
    ///   - isDamageReported: whether bytes before it were passed over, with a trouble event.
    ///   - events: what is to be reported about it.
    mutating func begin(
        _ page: inout OggPage,
        isDamageReported: Bool,
        events: inout [AudioStreamEvent]
    ) {
        var isJoined = self.sequence == nil
        if let sequence = self.sequence, page.header.sequence != sequence &+ 1 {
            if !isDamageReported {
                let range = min(self.lastPageEnd, page.offset)..<page.offset
                events.append(.trouble(AudioStreamTrouble(.missing, range)))
            }
            self.forget()
            isJoined = true
        }
        self.sequence = page.header.sequence
        self.lastPageEnd = page.end
        if !page.header.isContinued {
            if self.partial.isOpen {
                let range = min(self.partial.offset, page.offset)..<page.offset
                events.append(.trouble(AudioStreamTrouble(.contradiction, range)))
                self.partial.close()
                self.isTimed = false
                self.timing.reset()
            }
            self.isSkippingPacket = false
        } else if !self.partial.isOpen {
            if !isJoined, !self.isSkippingPacket {
                events.append(.trouble(AudioStreamTrouble(.contradiction, page.offset..<page.end)))
            }
            if let piece = page.next() { self.isSkippingPacket = !piece.isEnd }
        }
        self.isPageCounted = false
        self.isPageAudio = self.isAudio
        self.pageStart = self.position
    }

    /// Takes the time from the page that has been taken apart.
    ///
    /// The granule position is when the last packet ends that ends in the page; what was counted gives way to it.
    mutating func end(_ page: OggPage, events: inout [AudioStreamEvent]) {
        guard self.isPageAudio, let granule = page.header.granule,
            page.endsPacket || page.header.isLast
        else { return }
        let time = self.timing.time(of: granule)
        if self.isTimed, time < (page.endsPacket ? self.pageStart : self.position) {
            events.append(.trouble(AudioStreamTrouble(.contradiction, page.offset..<page.end)))
        }
        guard page.endsPacket else { return }
        self.position = time
        self.isTimed = true
        self.isAway = false
        self.lastMark = (page.end, time)
    }
}
