// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// How a logical stream of Ogg finds a time: by its granule positions.
///
/// The result is a page from which the packet that contains the time can be read. In Vorbis the
/// packet before it can be read too, which decoding needs. Opus must be decoded from 80 ms before
/// the wanted time (RFC 7845 §4.6): the caller searches for that earlier time.
///
/// The search looks only at the present stream and skips pages of other streams. In a chained
/// stream, the search needs more reads if the end of the present section is unknown. Links of a
/// chain may share a serial number: ``LinkSearch`` distinguishes them.
struct OggSeekMethod: LinkMethod {
    /// The serial number of the stream.
    let serial: UInt32
    /// How packets and granule positions relate to time.
    let timing: OggTiming
    /// The first audio page, and when its first packet starts.
    let first: Bisection.Mark
    /// The end of the last page that was read, and when its last packet ends.
    let last: Bisection.Mark
    /// The offset of the stream's end, as far as known.
    private(set) var end: Int64
    /// Whether no other streams are multiplexed with this stream.
    private let isAlone: Bool
    let audibleStart: SampleCount
    let sampleRate: Int
    /// The header that states the length of the stream; only FLAC has one.
    private let info: FLACStreamInfo?

    /// The method for a stream; `nil` before its first audio page.
    ///
    /// - Parameters:
    ///   - stream: the present stream.
    ///   - length: the length of the whole stream in bytes, if known.
    init?(_ stream: OggStream, length: Int64?) {
        guard let offset = stream.audioOffset, let start = stream.firstStart else { return nil }
        var timing = stream.timing
        timing.reset()
        self.serial = stream.serial
        self.timing = timing
        let first = Bisection.Mark(offset: offset, start: SampleCount(start))
        self.first = first
        // Until a page with a time has been read to its end, no later mark is known.
        self.last =
            stream.lastMark.map {
                Bisection.Mark(offset: $0.offset, start: SampleCount($0.time))
            } ?? first
        self.end = max(length ?? self.last.offset, offset)
        self.isAlone = stream.isAlone
        self.audibleStart = SampleCount(stream.audibleStart)
        self.sampleRate = stream.format?.sampleRate ?? 1
        self.info = stream.format.flatMap { format in
            guard format.codec == .flac else { return nil }
            return ByteMemory(copying: format.configuration).withView { FLACStreamInfo($0) }
        }
    }

    /// The length of the stream in samples, by its own header; pages with later times belong to
    /// another stream.
    var total: Int64 { self.info?.totalSamples ?? .max }

    /// Starts a search for a time.
    ///
    /// - Parameter time: on the time line of the packets.
    /// - Returns: the search; for a time at or before the start of the first packet, it is already
    ///   finished.
    func search(for time: SampleCount) -> any SeekSearching {
        guard time > self.first.start, self.end > self.first.offset else {
            return SeekPoint(offset: self.first.offset, start: self.first.start, precision: .exact)
        }
        return LinkSearch(for: time, self)
    }

    // MARK: The links of a chain

    /// The method of a link that begins with a page, used only to find the end of the link.
    private init(_ page: OggPageHeader, _ head: OggIdentification, at offset: Int64, _ end: Int64) {
        self.serial = page.serial
        switch head {
        case .vorbis(let identification):
            // The durations of packets are not needed.
            self.timing = .flac
            self.sampleRate = identification.sampleRate
        case .opus(let opus):
            self.timing = .opus(preSkip: Int64(opus.preSkip))
            self.sampleRate = 48_000
        case .flac(let info):
            self.timing = .flac
            self.sampleRate = info.sampleRate
        }
        // A time before the time of the headers, whose granule position is 0.
        self.first = Bisection.Mark(offset: offset, start: SampleCount(-1 - self.timing.preSkip))
        self.last = self.first
        self.end = end
        self.isAlone = true
        self.audibleStart = 0
        if case .flac(let info) = head { self.info = info } else { self.info = nil }
    }

    func next(_ view: ByteView, at offset: Int64) -> OggSeekMethod? {
        guard view.count >= OggPageHeader.byteCount, let page = OggPageHeader(view), page.isFirst,
            view.count >= OggPageHeader.byteCount + page.segmentCount
        else { return nil }
        let body = OggPageHeader.byteCount + page.segmentCount
        let end = min(view.count, page.pageByteCount(view))
        guard end > body, let head = OggIdentification(view[body..<end]) else { return nil }
        return OggSeekMethod(page, head, at: offset, self.end)
    }

    var seemsJoined: Bool { self.info?.isExceeded(by: self.end - self.first.offset) ?? false }

    /// Compares the end with FLAC's header.
    ///
    /// Without a stated length, any end counts as true, since most links have serial numbers of
    /// their own.
    func isTrue(_ end: SampleCount) -> Bool { self.total == .max || end.rawValue == self.total }

    var origin: SampleCount { 0 }

    var reached: Bisection.Mark { self.last }

    var byteEnd: Int64? { self.end }

    var rate: Double? {
        guard self.last.start > self.first.start else { return nil }
        return Double(self.last.offset - self.first.offset)
            / Double((self.last.start - self.first.start).rawValue)
    }

    func search(for time: SampleCount, before border: Bisection.Mark?) -> any SeekSearching {
        var method = self
        if let border { method.end = border.offset }
        return OggSeekSearch(method, target: time)
    }

    func piece(_ view: ByteView, at offset: Int64) -> LinkPiece {
        let piece = OggPageMark.piece(view, at: offset, self)
        return LinkPiece(
            marks: piece.pages.map(\.mark),
            end: piece.end,
            border: piece.border,
            isForeign: piece.pages.isEmpty && piece.hasOthers && self.isAlone,
            isCut: piece.isCut
        )
    }

    /// The approximate start of the packet at an offset, at the rate of the bytes read so far.
    ///
    /// - Parameter offset: in the stream.
    /// - Returns: an estimate; exact for an offset at or before the first audio page.
    func time(at offset: Int64) -> SeekPoint? {
        guard offset > self.first.offset else {
            return SeekPoint(offset: self.first.offset, start: self.first.start, precision: .exact)
        }
        let bytes = self.last.offset - self.first.offset
        guard bytes > 0 else { return nil }
        let rate = Double((self.last.start - self.first.start).rawValue) / Double(bytes)
        let count = rate * Double(min(offset, self.end) - self.first.offset)
        guard count.magnitude < 0x1p62 else { return nil }
        let start = self.first.start + SampleCount(Int64(count))
        return SeekPoint(offset: min(offset, self.end), start: start, precision: .estimated)
    }
}
