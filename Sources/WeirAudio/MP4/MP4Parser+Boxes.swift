// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads the boxes at the top level of the file.
extension MP4Parser {
    /// Reads the box at an offset, or skips it.
    mutating func readBox(
        at offset: Int64,
        _ window: inout ByteWindow
    ) throws(AudioStreamError) -> ParserStep {
        // Go to the box without reading the data before it.
        if let wanted = self.go(to: offset, &window) { return .event(wanted) }
        guard let view = window.peekBoxHeader() else {
            guard window.isAtEnd else { return .needsMore }
            return try self.endWalk(&window)
        }
        guard let header = MP4BoxHeader(view), header.type.isBoxName else {
            return try self.loseWalk(at: offset)
        }
        switch header.type {
        case "moov" where self.movie == nil || self.isFragmented:
            return try self.readMovie(header, at: offset, &window)
        case "moof": return try self.readFragment(header, at: offset, &window)
        case "sidx": return try self.readIndex(header, at: offset, &window)
        default: break
        }
        guard let size = header.size else {
            guard self.movie != nil else {
                throw AudioStreamError(
                    .malformed,
                    at: offset,
                    "The box '\(header.type.text)' goes on to the end of the file, and there was no index before it"
                )
            }
            self.walk = .over
            return .again
        }
        let (end, overflow) = offset.addingReportingOverflow(size)
        guard !overflow, end < Int64.max / 2 else { return try self.loseWalk(at: offset) }
        self.walk = .box(end)
        if let length = self.length, end > length {
            // The data of a fragment may be cut short, or its size may be damaged.
            if self.isFragmented, header.type == "mdat" {
                self.walk = .scan(from: offset + Int64(header.count), isGarbage: false)
                return .again
            }
            if header.type != "mdat" { return try self.loseWalk(at: offset) }
        }
        if header.type == "mdat", self.movie == nil, size > Int64(header.count) {
            if let length = self.length, end >= length { throw self.noIndex(at: offset) }
            return .event(self.ask(for: end, window))
        }
        if self.isFragmented { window.skip(end - window.offset) }
        return .again
    }

    /// A whole box in memory.
    ///
    /// - Parameters:
    ///   - header: the box's header.
    ///   - offset: the offset of the box.
    ///   - window: the stream, from the box on.
    /// - Returns: `nil` if the box has not arrived.
    /// - Throws: `limit` if the box is larger than an index may be.
    func wholeBox(
        _ header: MP4BoxHeader,
        at offset: Int64,
        _ window: inout ByteWindow
    ) throws(AudioStreamError) -> MP4Box? {
        let limit = Int64(self.limits.index)
        guard (header.size ?? Int64(min(window.count, .max))) <= limit else {
            throw AudioStreamError(
                .limit,
                at: offset,
                "The box '\(header.type.text)' is larger than the \(limit) bytes that an index may have"
            )
        }
        // A box without a size reaches to the end of the stream.
        if header.size == nil, !window.isAtEnd { return nil }
        let size = header.size.map { Int($0) } ?? window.count
        guard let view = window.peek(size) else { return nil }
        return MP4Box(
            type: header.type,
            content: view[header.count..<size],
            offset: offset + Int64(header.count)
        )
    }

    private func noIndex(at offset: Int64) -> AudioStreamError {
        AudioStreamError(
            .ended,
            at: offset,
            "The stream ends before its index (moov); it is cut short"
        )
    }

    /// Handles the end of the stream, between boxes or within one.
    ///
    /// If only a few bytes follow the last box, and they are not the beginning of a box, the stream
    /// is not cut short.
    mutating func endWalk(_ window: inout ByteWindow) throws(AudioStreamError) -> ParserStep {
        guard self.movie != nil else { throw self.noIndex(at: window.offset) }
        self.walk = .over
        if window.endsInSkip, self.isFragmented {
            self.isCutShort = true
            return .event(
                .trouble(AudioStreamFailure(.truncated, window.reachedEnd..<window.offset))
            )
        }
        guard window.count > 0 else { return .again }
        let front = window.peek(upTo: MP4BoxHeader.shortCount)
        let isBox = front.count == MP4BoxHeader.shortCount || MP4BoxHeader.mayBegin(with: front)
        self.isCutShort = self.isFragmented && isBox
        let range = window.offset..<window.offset + Int64(window.count)
        return .event(.trouble(AudioStreamFailure(isBox ? .truncated : .garbage, range)))
    }

    /// Handles bytes that are not a box, at a place where a box should be.
    mutating func loseWalk(at offset: Int64) throws(AudioStreamError) -> ParserStep {
        guard self.isFragmented else {
            throw AudioStreamError(
                .malformed,
                at: offset,
                "There is no MP4 box at this offset; the file is damaged, or is not an MP4 file"
            )
        }
        self.tally = nil
        self.walk = .scan(from: offset, isGarbage: true)
        return .again
    }

    // MARK: The index

    private mutating func readMovie(
        _ header: MP4BoxHeader,
        at offset: Int64,
        _ window: inout ByteWindow
    ) throws(AudioStreamError) -> ParserStep {
        guard let box = try self.wholeBox(header, at: offset, &window) else {
            guard window.isAtEnd else { return .needsMore }
            return try self.endWalk(&window)
        }
        let size = header.count + box.content.count
        let end = offset + Int64(size)
        let movie: MP4Movie
        do throws(AudioStreamError) {
            movie = try MP4Movie(box, limits: self.limits)
        } catch {
            // A stream of fragments repeats its index; a damaged repetition changes nothing.
            guard self.movie != nil else { throw error }
            self.walk = .box(end)
            window.drop(size)
            return .event(.trouble(AudioStreamFailure(.contradiction, offset..<end)))
        }
        window.drop(size)
        self.walk = header.size == nil ? .over : .box(end)
        try self.take(movie)
        return .again
    }

    private mutating func take(_ movie: MP4Movie) throws(AudioStreamError) {
        let isFirst = self.movie == nil
        self.movie = movie
        self.isFragmented = self.hasFragments(movie)
        self.part = 0
        self.described = [:]
        self.describe(movie, movie.track.firstEntry)
        if movie.track.table.count > 0 { try self.enterPart(0, of: movie) }
        if isFirst, let joined = self.joined {
            self.joined = nil
            try self.join(at: joined)
        }
        self.events += movie.troubles.map { .trouble($0) }
        if isFirst, let tags = movie.tags { self.events.append(.tags(tags)) }
    }
}
