// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Parses Ogg (RFC 3533): Vorbis, Opus and FLAC in it, multiplexed with other streams, and chained.
///
/// **Multiplexed.** Of the streams that begin together, the parser plays the first with a supported
/// codec. It skips the others: Skeleton, video, further audio.
///
/// **Chained.** If a page begins a stream and the page before it did not, a new section begins,
/// even if the last section has not ended. The parser reads the headers of the new section; the
/// codec may differ, and the section has its own time line.
///
/// **Joined.** The parser skips pages before the first page that begins a stream. After
/// ``discontinued(start:)`` it continues the played stream at the next page, with the first packet
/// that starts there; only granule positions give that packet's time.
///
/// **Times** are granule positions, in Opus less the pre-skip, as in ffprobe. A Vorbis packet
/// without a packet before it (the first, and the first after a gap) decodes to nothing. Such a
/// packet has a duration, all of which is trimmed, and ends where the next packet starts.
///
/// The parser keeps in memory one page, one packet over several pages, and the headers until they
/// are complete.
struct OggParser: FormatParser {
    private let limits: AudioStreamLimits
    /// How many bytes the stream has, if known.
    private let length: Int64?

    private var reader = OggPageReader()
    /// The page that is being read, if ``isPageOpen``.
    private var page = Self.noPage
    private var isPageOpen = false
    /// Events to return before anything else.
    private var events: [AudioStreamEvent] = []

    /// The played stream; `nil` before it begins, or if no stream of a group can be played.
    private(set) var stream: OggStream?
    /// Whether the last page began a stream, so that the next page may begin another stream of the
    /// group.
    private var isInGroup = false
    /// The names of the group's streams that are not played, at most ``mostRefused``.
    private var refused: [String] = []
    /// The most streams whose names are kept.
    private static let mostRefused = 8
    /// How many streams were played, including the present stream.
    private var sectionCount = 0
    /// Whether a format was reported.
    private var isFormatReported = false

    /// The offset at which the skipped pages begin, if there is no stream to play.
    private var unheardOffset: Int64?
    /// Whether bytes were skipped, with a trouble event, since the last page of the stream.
    private var isDamageReported = false
    /// Whether the end of the stream was reported.
    private var isFinished = false
    /// Whether the last page of the played stream has arrived, and whether the bytes end within a
    /// page.
    private var hasLastPage = false
    private var endsInPage = false
    /// Whether the bytes end within the stream.
    private(set) var isCutShort = false
    /// Whether the parser has already thrown because the headers are incomplete.
    private var isEndRefused = false

    /// - Parameters:
    ///   - limits: how much memory the parser may use.
    ///   - length: how many bytes the stream has, if known.
    init(limits: AudioStreamLimits, length: Int64?) {
        self.limits = limits
        self.length = length
    }

    /// A page without segments.
    private static let noPage: OggPage = {
        var bytes: [UInt8] = Array("OggS".utf8)
        bytes.append(contentsOf: repeatElement(0, count: OggPageHeader.byteCount - 4))
        let page = ByteMemory(copying: bytes)
        guard let header = page.withView({ OggPageHeader($0) }) else {
            preconditionFailure("an empty page is a page")
        }
        return OggPage(bytes: page, offset: 0, header: header)
    }()

    // MARK: FormatParser

    /// Continues the parsing.
    ///
    /// - Parameter window: the stream from where this parser left off.
    /// - Returns: the next event; `nil` when more bytes are needed or there are no more events.
    /// - Throws: `unsupported` if no stream of the first group can be played, `malformed` if its
    ///   headers cannot be read, `limit` for a packet that is too long, `ended` if the end comes
    ///   before the headers are complete.
    mutating func next(_ window: inout ByteWindow) throws(AudioStreamError) -> AudioStreamEvent? {
        while true {
            if !self.events.isEmpty { return self.events.removeFirst() }
            if self.isPageOpen {
                if let packet = try self.nextPacket() { return .packet(packet) }
                continue
            }
            switch self.reader.read(&window) {
            case .page(let page):
                try self.begin(page)
            case .trouble(let trouble):
                self.isDamageReported = true
                self.endsInPage = trouble.kind == .truncated
                return .trouble(trouble)
            case .nothing:
                guard window.isAtEnd else { return nil }
                if !self.isFinished {
                    self.isFinished = true
                    try self.finish(at: window.offset)
                    continue
                }
                guard !self.isFormatReported, !self.isEndRefused else { return nil }
                self.isEndRefused = true
                throw AudioStreamError(
                    .ended,
                    at: window.offset,
                    "The Ogg stream ends before its headers are complete"
                )
            }
        }
    }

    /// Prepares for bytes that do not follow the last ones.
    ///
    /// - Parameter start: not used; granule positions give the time.
    mutating func discontinued(start: SampleCount?) {
        self.reader.discontinued()
        self.page = Self.noPage
        self.isPageOpen = false
        self.events.removeAll()
        self.stream?.discontinued()
        self.isInGroup = false
        self.unheardOffset = nil
        self.isDamageReported = false
        self.isFinished = false
    }

    /// The map from times of the present section to bytes.
    ///
    /// - Parameter length: the length of the stream in bytes, if known.
    /// - Returns: `nil` before the first audio page of the section.
    func seekMap(length: Int64?) -> SeekMap? {
        guard let stream = self.stream,
            let method = OggSeekMethod(stream, length: length ?? self.length)
        else {
            return nil
        }
        return SeekMap(method)
    }

    // MARK: Pages

    /// The next packet of the page; `nil` if events come first, or the page has ended.
    @inline(__always)
    private mutating func nextPacket() throws(AudioStreamError) -> AudioPacket? {
        do throws(AudioStreamError) {
            let packet = try self.stream?.next(
                &self.page,
                limits: self.limits,
                events: &self.events
            )
            if let packet { return packet }
        } catch {
            guard self.isFormatReported, error.code == .malformed else { throw error }
            // Go on: the earlier packets were playable, and later streams may be.
            self.events.append(
                .trouble(AudioStreamFailure(.contradiction, self.page.offset..<self.page.end))
            )
            self.unheardOffset = self.page.end
            self.stream = nil
            self.isPageOpen = false
            return nil
        }
        if self.events.isEmpty {
            self.endPage()
        } else if self.stream?.format != nil {
            self.isFormatReported = true
        }
        return nil
    }

    private mutating func endPage() {
        self.stream?.end(self.page, events: &self.events)
        self.endsInPage = false
        if self.page.header.isLast {
            self.hasLastPage = true
            self.reportEnd()
        }
        self.page = Self.noPage
        self.isPageOpen = false
    }

    /// Takes a page of the present stream, or a page that begins another stream; ignores all other
    /// pages.
    private mutating func begin(_ page: OggPage) throws(AudioStreamError) {
        var isNew = false
        if page.header.isFirst {
            isNew = self.beginStream(page)
        } else if self.isInGroup {
            self.isInGroup = false
            if self.stream == nil { try self.refuse(at: page.offset) }
        }
        guard page.header.serial == self.stream?.serial else {
            if self.stream == nil, self.unheardOffset == nil, !self.isInGroup {
                self.unheardOffset = page.offset
            }
            return
        }
        self.page = page
        self.isPageOpen = true
        self.stream?.begin(
            &self.page,
            isDamageReported: self.isDamageReported,
            events: &self.events
        )
        self.isDamageReported = false
        // `beginStream` has already taken the first packet.
        if isNew { _ = self.page.next() }
    }

    /// Takes the first page of a stream, and its first packet.
    ///
    /// - Returns: whether the stream is played.
    private mutating func beginStream(_ page: OggPage) -> Bool {
        if !self.isInGroup || page.header.serial == self.stream?.serial {
            self.endStream(at: page.offset)
            self.isInGroup = true
            self.refused = []
        }
        guard self.stream == nil else {
            self.stream?.isAlone = false
            return false
        }
        var rest = page
        // The view belongs to the page, which lives until the end of the function.
        guard let piece = rest.next(), piece.isEnd else {
            self.note("an unknown codec")
            return false
        }
        guard let headers = OggHeaders(page.view[piece.range]) else {
            self.note(OggIdentification.name(page.view[piece.range]))
            return false
        }
        self.hasLastPage = false
        self.stream = OggStream(page, section: self.sectionCount, headers: headers)
        self.stream?.isAlone = self.refused.isEmpty
        self.sectionCount += 1
        return true
    }

    /// Keeps the name of a stream that is not played; a group may have any number of streams.
    private mutating func note(_ name: String) {
        if self.refused.count < Self.mostRefused { self.refused.append(name) }
    }

    /// Throws if no stream of the first group can be played.
    private mutating func refuse(at offset: Int64) throws(AudioStreamError) {
        let names = self.refused.joined(separator: ", ")
        guard self.isFormatReported else {
            throw AudioStreamError(
                .unsupported,
                at: offset,
                "The Ogg stream has no stream that Weir can play: \(names)"
            )
        }
    }

    /// Ends the present stream, and the range of skipped pages.
    private mutating func endStream(at offset: Int64) {
        if let unheard = self.unheardOffset, unheard < offset {
            self.events.append(.trouble(AudioStreamFailure(.garbage, unheard..<offset)))
        }
        self.unheardOffset = nil
        if let partial = self.stream?.partial, partial.isOpen {
            let range = min(partial.offset, offset)..<offset
            self.events.append(.trouble(AudioStreamFailure(.truncated, range)))
            self.stream?.partial.close()
        }
        self.reportEnd()
        // A stream whose headers never became complete does not count.
        if self.stream?.format == nil, self.stream != nil { self.sectionCount -= 1 }
        self.stream = nil
    }

    private mutating func reportEnd() {
        if let format = self.stream?.formatAtEnd(isCutShort: self.isCutShort) {
            self.events.append(.format(format))
        }
    }

    /// Handles the end of the bytes.
    private mutating func finish(at offset: Int64) throws(AudioStreamError) {
        if self.isInGroup, self.stream == nil { try self.refuse(at: offset) }
        let isOpen = self.endsInPage || self.stream?.partial.isOpen == true
        self.isCutShort = (isOpen || self.stream?.isShort == true) && !self.hasLastPage
        // The stream stays: the caller may continue it elsewhere.
        let stream = self.stream
        let count = self.sectionCount
        self.endStream(at: offset)
        self.stream = stream
        self.sectionCount = count
        self.stream?.partial.close()
    }
}
