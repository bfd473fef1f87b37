// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension OggStream {
    /// Computes the start of a page's first packet from the page's granule position.
    ///
    /// This is necessary at the start (Vorbis I §A.2, RFC 7845 §4.3) and after a gap or a
    /// discontinuity. If a page is both the first audio page and the last page, its granule
    /// position may be less than the samples of its packets. The stream then starts at granule
    /// position 0 and is trimmed at its end (RFC 7845 §4.5). After a discontinuity, a trimmed last
    /// page cannot be recognised: its times are then too early by the trimmed samples.
    ///
    /// - Parameters:
    ///   - page: the page, of which only headers and skipped parts have been taken.
    ///   - events: receives the events about the page.
    mutating func countBack(_ page: OggPage, events: inout [AudioStreamEvent]) {
        self.isPageCounted = true
        var timing = self.timing
        let lacksPrevious = timing.lacksPrevious
        var rest = page
        var sum: Int64 = 0
        var first: Int64?
        var isPartial = self.partial.isOpen
        // The view belongs to the page, which the caller keeps.
        while let piece = rest.next(), piece.isEnd {
            let duration =
                isPartial
                ? self.partial.withView { timing.duration(of: $0) }
                : timing.duration(of: page.view[piece.range])
            isPartial = false
            sum += duration ?? 0
            if first == nil { first = duration }
        }
        // Without an audio packet that ends on the page, there is no time.
        guard let first else { return }
        self.isPageAudio = true
        let undecoded = lacksPrevious ? first : 0
        let base = -timing.preSkip - undecoded
        var start = self.position
        if let granule = page.header.granule {
            start = timing.time(of: granule) - sum
            self.isTimed = true
        } else if self.firstStart == nil {
            start = base
        }
        if self.isWhole, self.firstStart == nil {
            if page.header.isLast { start = max(start, base) }
            self.firstStart = start
            self.audibleStart = max(0, start + timing.preSkip + undecoded)
            self.reportLeadingTrim(self.audibleStart - start - undecoded, events: &events)
        } else if let firstStart = self.firstStart, page.offset == self.audioOffset {
            start = firstStart
        }
        self.position = start
        self.pageStart = start
    }

    private mutating func reportLeadingTrim(_ count: Int64, events: inout [AudioStreamEvent]) {
        guard var format = self.format, format.trim?.leading.rawValue != count else { return }
        format.trim = AudioTrim(leading: SampleCount(count), trailing: nil)
        self.format = format
        events.append(.format(format))
    }

    /// The final format at the end of the stream: its duration and its trim.
    ///
    /// - Parameter isCutShort: whether the bytes end before the stream does.
    /// - Returns: `nil` if the format has not changed, or the present time in the stream is
    ///   unknown.
    mutating func formatAtEnd(isCutShort: Bool) -> AudioFormat? {
        guard var format = self.format, let first = self.firstStart, self.lastMark != nil,
            !self.isAway
        else { return nil }
        let samples = max(0, self.position - self.audibleStart)
        format.duration = AudioDuration(SampleCount(samples), isCutShort ? .estimated : .exact)
        format.trim = AudioTrim(
            leading: format.trim?.leading ?? 0,
            trailing: SampleCount(self.trimmedAtEnd)
        )
        if self.isWhole, self.position > first {
            let seconds = Double(self.position - first) / Double(format.sampleRate)
            let rate = Double(self.payloadByteCount) * 8 / seconds
            if rate < 0x1p40 { format.bitRate = AudioBitRate(Int(rate + 0.5), .average) }
        }
        guard format != self.format else { return nil }
        self.format = format
        return format
    }
}
