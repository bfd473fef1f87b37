// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension OggStream {
    /// Counts back from the granule position of a page to when its first packet starts, where nothing else tells.
    ///
    /// That is so at the start (Vorbis I §A.2, RFC 7845 §4.3) and after a gap or a discontinuity. On a page that is
    /// both the first with audio and the last, the granule position may be less than what its packets hold: then the
    /// stream starts at granule position 0 and is trimmed at its end (RFC 7845 §4.5). On the last page after a
    /// discontinuity that cannot be told from a later start, and times are early by what is trimmed.
    ///
    /// - Parameters:
    ///   - page: the page, of which nothing has been taken but headers and what was skipped.
    ///   - events: what is to be reported about it.
    mutating func countBack(_ page: OggPage, events: inout [AudioStreamEvent]) {
        self.isPageCounted = true
        var timing = self.timing
        let lacksPrevious = timing.lacksPrevious
        var rest = page
        var sum: Int64 = 0
        var first: Int64?
        var isPartial = self.partial.isOpen
        // The view is of the page, which the caller keeps.
        while let piece = rest.next(), piece.isEnd {
            let duration =
                isPartial
                ? self.partial.withView { timing.duration(of: $0) }
                : timing.duration(of: page.view[piece.range])
            isPartial = false
            sum += duration ?? 0
            if first == nil { first = duration }
        }
        // Without an audio packet that ends here there is nothing to time.
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

    /// What is known when the stream is over: how long it was, what was trimmed.
    ///
    /// - Parameter isCutShort: whether the bytes end before the stream does.
    /// - Returns: `nil` if nothing of that is new.
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
