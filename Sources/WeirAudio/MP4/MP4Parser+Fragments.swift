// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Reads fragments, and after damage finds the next fragment.
extension MP4Parser {
    /// Takes a `moof` and starts to walk over its samples.
    mutating func readFragment(
        _ header: MP4BoxHeader,
        at offset: Int64,
        _ window: inout ByteWindow
    ) throws(AudioStreamError) -> ParserStep {
        guard let movie = self.movie else {
            throw AudioStreamError(
                .malformed,
                at: offset,
                "A fragment (moof) comes before the index (moov)"
            )
        }
        guard let box = try self.wholeBox(header, at: offset, &window) else {
            guard window.isAtEnd else { return .needsMore }
            return try self.endWalk(&window)
        }
        if let start = self.declaredStart, let timeLine = self.timeLine {
            self.fragmentTime = timeLine.time(start.rawValue)
            self.declaredStart = nil
        }
        let cursor = MP4FragmentCursor(
            box,
            start: offset,
            track: movie.track.number,
            defaults: movie.defaults,
            time: self.fragmentTime
        )
        self.fragment = cursor
        let size = header.count + box.content.count
        window.drop(size)
        self.walk = header.size == nil ? .over : .box(offset + Int64(size))
        // A second walk, up to the first sample only, gives the start of the fragment.
        var ahead = cursor
        if let first = try? ahead.next() {
            self.fragments.add(
                MP4FragmentMap.Mark(offset: offset, time: first.time),
                end: first.end,
                isSeen: true
            )
        }
        return .again
    }

    /// Takes the places of fragments from a `sidx`.
    mutating func readIndex(
        _ header: MP4BoxHeader,
        at offset: Int64,
        _ window: inout ByteWindow
    ) throws(AudioStreamError) -> ParserStep {
        let size = header.size ?? Int64.max
        let end = offset.addingReportingOverflow(size).partialValue
        guard size <= Int64(min(self.limits.index, 1 << 20)), let movie = self.movie else {
            self.walk = header.size == nil ? .over : .box(max(end, offset))
            return .again
        }
        guard let box = try self.wholeBox(header, at: offset, &window) else {
            guard window.isAtEnd else { return .needsMore }
            return try self.endWalk(&window)
        }
        let last = self.fragments.read(
            box,
            unitsPerSecond: movie.track.unitsPerSecond,
            shift: self.timeLine?.shift ?? 0
        )
        window.drop(Int(size))
        self.walk = .box(end)
        if let last { self.announce(end: last) }
        return .again
    }

    /// Skips a damaged fragment.
    mutating func passFragment(_ error: AudioStreamError) throws(AudioStreamError) -> ParserStep {
        guard let fragment = self.fragment else { throw error }
        self.fragment = nil
        self.tally = nil
        return .event(.trouble(AudioStreamFailure(.contradiction, fragment.range)))
    }

    /// Looks for the next fragment: a `moof` that starts with a `mfhd`.
    ///
    ///     size (32), 'moof', 16 (32), 'mfhd'
    mutating func scan(_ window: inout ByteWindow, from start: Int64, isGarbage: Bool) -> ParserStep
    {
        let needed = 16
        while true {
            let view = window.peek(upTo: 64 << 10)
            guard view.count >= needed else { break }
            var index = 0
            while index <= view.count - needed {
                if view.matches("moof", at: index + 4), view.matches("mfhd", at: index + 12),
                    view.big(index + 8, UInt32.self) == 16
                {
                    window.drop(index)
                    self.walk = .box(window.offset)
                    return self.passed(start..<max(start, window.offset), isGarbage)
                }
                index += 1
            }
            window.drop(index)
        }
        guard window.isAtEnd else { return .needsMore }
        window.drop(window.count)
        self.walk = .over
        return self.passed(start..<max(start, window.offset), isGarbage)
    }

    private func passed(_ range: Range<Int64>, _ isGarbage: Bool) -> ParserStep {
        isGarbage && !range.isEmpty ? .event(.trouble(AudioStreamFailure(.garbage, range))) : .again
    }
}
