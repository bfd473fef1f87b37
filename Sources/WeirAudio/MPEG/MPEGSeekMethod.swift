// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Finds times in a stream whose tag describes its beginning, or another part.
///
/// In the part that the tag describes, the method uses this tag; after the part, it uses the tags
/// of the following parts. It finds the tag of a part at the end of the part before, with one or
/// two reads.
struct MPEGSeekMethod: SeekMethod {
    /// The method for the current part.
    var here: FrameSeekMethod<MPEGFrameHeader>
    /// The current part and the later ones.
    var outline: MPEGOutline
    /// When the first sample of this part is heard.
    var origin: SampleCount

    func search(for time: SampleCount) -> any SeekSearching {
        if self.here.isCounted(time) { return self.here.search(for: time) }
        return MPEGPartSearch(for: max(time, self.here.first.start), self)
    }

    func isExact(for time: SampleCount) -> Bool {
        if self.here.isCounted(time) { return true }
        var start = self.origin
        for (index, part) in self.outline.parts.enumerated() {
            guard let extent = part.extent else { return false }
            // Only the search can find out whether the part ends there.
            guard part.isProved else { return self.outline.parts[0].isConstant }
            start = start + extent.heard(at: self.here.pattern.sampleRate, of: part.header)
            guard time < start || index == self.outline.parts.count - 1 else { continue }
            return index == 0 ? self.here.isExact(for: time) : part.isConstant
        }
        return false
    }

    /// The farthest known place at which the sound of this part has not ended.
    ///
    /// A reader that continues after the last frames would play the padding at their end.
    var known: SeekPoint? {
        guard let known = self.here.known, let extent = self.outline.parts.first?.extent else {
            return self.here.known
        }
        let end = self.origin + SampleCount(extent.heard)
        guard known.start > end else { return known }
        return self.here.tally.marks.last { $0.start <= end }
            .map { SeekPoint(offset: $0.offset, start: $0.start, precision: .exact) }
    }

    func time(at offset: Int64) -> SeekPoint? {
        guard let end = self.outline.parts.first?.extent?.end, offset >= end else {
            return self.here.time(at: offset)
        }
        var start = self.origin
        for part in self.outline.parts {
            let own = Int64(part.header.sampleRate)
            let rate = Int64(self.here.pattern.sampleRate)
            guard let extent = part.extent, offset >= extent.end else {
                let density = part.sample?.density ?? 0
                let passed = min(Double(max(0, offset - part.first)) * density, 0x1p56)
                let samples = Int64(passed).scaled(by: rate, over: own) ?? 0
                return SeekPoint(
                    offset: offset,
                    start: start + SampleCount(samples),
                    precision: .estimated
                )
            }
            start = start + extent.heard(at: self.here.pattern.sampleRate, of: part.header)
        }
        return SeekPoint(offset: offset, start: start, precision: .estimated)
    }

    /// A search that only finds the following parts.
    ///
    /// `nil` if they are known, or if the tag of the first part shows that no bytes follow the
    /// part.
    var outlineSearch: (any SeekSearching)? {
        guard self.outline.parts.first?.tag?.hasAppendix == true, !self.outline.isComplete,
            self.outline.parts.last?.extent != nil
        else { return nil }
        return MPEGPartSearch(for: nil, self)
    }
}

extension MPEGPart.Extent {
    /// How long the extent is heard, at the sample rate of a time line.
    func heard(at sampleRate: Int, of header: MPEGFrameHeader) -> SampleCount {
        SampleCount(
            self.heard.scaled(by: Int64(sampleRate), over: Int64(header.sampleRate)) ?? 0
        )
    }
}
