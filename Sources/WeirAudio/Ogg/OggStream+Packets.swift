// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension OggStream {
    /// Takes the next packet from a page.
    ///
    /// - Parameters:
    ///   - page: the last begun page.
    ///   - limits: how long packets and tags may be.
    ///   - events: receives the events that precede the packet.
    /// - Returns: an audio packet; `nil` at the end of the page, or if there are events.
    /// - Throws: `limit` for a packet that is too long, `malformed` for headers that cannot be
    ///   read.
    mutating func next(
        _ page: inout OggPage,
        limits: AudioStreamLimits,
        events: inout [AudioStreamEvent]
    ) throws(AudioStreamError) -> AudioPacket? {
        while events.isEmpty {
            if !self.isTimed, !self.isPageCounted, self.isAudio {
                self.countBack(page, events: &events)
                continue
            }
            let cursor = page.cursor
            guard let piece = page.next() else { return nil }
            let offset = page.offset &+ Int64(piece.range.lowerBound)
            if piece.isEnd, !self.partial.isOpen {
                guard self.isAudio else {
                    let range = offset..<page.offset + Int64(piece.range.upperBound)
                    // The view belongs to the page, which the caller keeps.
                    let isAudio = try self.takeHeader(
                        page.view[piece.range],
                        range,
                        page,
                        events: &events
                    )
                    // The packet is taken again once the time of the page is known.
                    if isAudio { page.rewind(to: cursor) }
                    continue
                }
                if let packet = self.whole(page, piece, offset, events: &events) { return packet }
                continue
            }
            if let packet = try self.take(
                piece,
                of: page,
                at: offset,
                limits: limits,
                events: &events
            ) {
                return packet
            }
        }
        return nil
    }

    /// A packet that is complete in the page; `nil` if it has no bytes, or is not audio.
    @inline(__always)
    private mutating func whole(
        _ page: OggPage,
        _ piece: OggPage.Piece,
        _ offset: Int64,
        events: inout [AudioStreamEvent]
    ) -> AudioPacket? {
        if let packet = self.packet(page.bytes[piece.range], at: offset, page.header) {
            return packet
        }
        // Some muxers end a stream with a packet without bytes.
        guard !piece.range.isEmpty else { return nil }
        let range = offset..<page.offset &+ Int64(piece.range.upperBound)
        events.append(.trouble(AudioStreamFailure(.garbage, range)))
        return nil
    }

    /// Takes a part of a packet that spans several pages.
    private mutating func take(
        _ piece: OggPage.Piece,
        of page: OggPage,
        at offset: Int64,
        limits: AudioStreamLimits,
        events: inout [AudioStreamEvent]
    ) throws(AudioStreamError) -> AudioPacket? {
        let view = page.view[piece.range]
        if !self.partial.isOpen { self.partial.open(at: offset) }
        let firstByte = self.partial.bytes.first ?? (view.count > 0 ? view[0] : 0)
        let limit = self.headers?.limit(firstByte, limits) ?? limits.packet
        self.partial.append(view, limit: limit)
        if self.partial.isCut, self.headers?.mayBeCut(firstByte) != true {
            throw AudioStreamError(
                .limit,
                at: self.partial.offset,
                "A packet is longer than \(limit) bytes"
            )
        }
        guard piece.isEnd else { return nil }
        self.partial.close()
        let range =
            self.partial
            .offset..<max(self.partial.offset, page.offset + Int64(piece.range.upperBound))
        if !self.isAudio {
            let partial = self.partial
            let isAudio = try partial.withView { (view) throws(AudioStreamError) -> Bool in
                try self.takeHeader(view, range, page, isCut: partial.isCut, events: &events)
            }
            // If headers are missing, a first audio packet that spans several pages is lost; the
            // packets after it are not.
            if isAudio { events.append(.trouble(AudioStreamFailure(.garbage, range))) }
            return nil
        }
        let bytes = ByteMemory(copying: self.partial.bytes)
        if let packet = self.packet(bytes, at: range.lowerBound, page.header) { return packet }
        events.append(.trouble(AudioStreamFailure(.garbage, range)))
        return nil
    }

    // MARK: Audio packets

    /// Makes an audio packet.
    ///
    /// A Vorbis packet without a packet before it decodes to nothing: its whole duration is
    /// trimmed.
    ///
    /// - Returns: `nil` if the bytes are not an audio packet.
    @inline(__always)
    private mutating func packet(
        _ payload: ByteMemory,
        at offset: Int64,
        _ header: OggPageHeader
    ) -> AudioPacket? {
        let isUndecoded = self.timing.lacksPrevious
        guard let duration = self.timing.duration(of: payload.view) else { return nil }
        let start = self.position
        let end = start &+ duration
        var packet = AudioPacket(
            payload: payload,
            offset: offset,
            start: SampleCount(start),
            duration: SampleCount(duration)
        )
        packet.section = self.section
        if isUndecoded {
            packet.trimStart = packet.duration
        } else if start < self.audibleStart {
            packet.trimStart = SampleCount(min(duration, self.audibleStart &- start))
        }
        if header.isLast, let granule = header.granule, end > self.timing.time(of: granule) {
            let excess = end &- self.timing.time(of: granule)
            let count = min(duration &- packet.trimStart.rawValue, excess)
            packet.trimEnd = SampleCount(count)
            self.trimmedAtEnd &+= count
        }
        self.position = end
        self.payloadByteCount &+= Int64(payload.count)
        return packet
    }

    // MARK: Header packets

    /// Takes a header packet.
    ///
    /// - Returns: whether the packet is not a header, but the first audio packet.
    /// - Throws: `malformed` if the stream cannot be played.
    private mutating func takeHeader(
        _ view: ByteView,
        _ range: Range<Int64>,
        _ page: OggPage,
        isCut: Bool = false,
        events: inout [AudioStreamEvent]
    ) throws(AudioStreamError) -> Bool {
        guard view.count > 0 else { return false }
        switch self.headers?.take(view, range, isCut: isCut, events: &events) {
        case .complete:
            self.completeHeaders(
                audioOffset: page.isEmpty ? page.end : page.offset,
                events: &events
            )
        case .completeBefore:
            self.completeHeaders(audioOffset: page.offset, events: &events)
            return true
        case .refused(let reason):
            throw AudioStreamError(.malformed, at: range.lowerBound, reason)
        case .incomplete, nil:
            break
        }
        return false
    }

    private mutating func completeHeaders(audioOffset: Int64, events: inout [AudioStreamEvent]) {
        guard let headers = self.headers, let timing = headers.timing else { return }
        self.headers = nil
        self.isAudio = true
        self.timing = timing
        self.audioOffset = audioOffset
        let format = headers.format(section: self.section)
        self.format = format
        self.declaredCount = format.duration?.samples.rawValue
        events.append(.format(format))
        if let tags = headers.tags { events.append(.tags(tags)) }
    }
}
