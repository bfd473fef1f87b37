// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio

extension RingIndex {
    /// Forgets what is before an offset.
    ///
    /// - Parameter offset: the first byte that is kept; what is not there yet is not dropped.
    mutating func drop(to offset: Int64) {
        let offset = min(offset, self.end)
        guard offset > self.oldest else { return }
        self.oldest = offset
        let gone = self.events.firstIndex { $0.offset >= offset } ?? self.events.count
        for event in self.events[..<gone] { self.fold(event) }
        self.events.removeFirst(gone)
        self.marks.removeFirst(self.marks.firstIndex { $0.offset >= offset } ?? self.marks.count)
        // The last that began before the offset is still the one that goes on there.
        let later = self.links.firstIndex { $0.headOffset > offset } ?? self.links.count
        if later > 1 {
            self.headByteCount -= self.links[..<(later - 1)].reduce(0) { $0 + $1.head.count }
            self.links.removeFirst(later - 1)
        }
    }

    /// Drops the oldest segments that the limits leave no room for.
    mutating func trim(to limits: TimeShiftLimits) {
        let segment = Int64(self.geometry.segment)
        while true {
            let boundary = (self.oldest / segment + 1) * segment
            guard boundary <= self.end else { return }
            let isTooMuch = self.end - self.oldest > limits.byteCount
            guard isTooMuch || self.isPast(boundary, limits.duration) else { return }
            self.drop(to: boundary)
        }
    }

    /// Whether all that is before an offset is further back than a distance.
    private func isPast(_ offset: Int64, _ distance: Duration) -> Bool {
        guard let newest = self.newest, offset <= newest.offset, let time = self.time(at: offset)
        else { return false }
        return newest.time - time >= distance
    }

    /// Drops the oldest bytes if too much is known of them: an eighth at once, so that it is seldom.
    mutating func shed() {
        let geometry = self.geometry
        if self.events.count > geometry.events || self.eventByteCount > geometry.eventBytes {
            let first = self.events[0].offset
            let later = self.events.dropFirst(self.events.count / 8).first { $0.offset > first }
            if let later { self.drop(to: later.offset) }
            // What is left stands at one place: all but the last are told nobody any more.
            while self.events.count > 1,
                self.events.count > geometry.events || self.eventByteCount > geometry.eventBytes
            {
                self.dropFirstEvent()
            }
        }
        while self.links.count > 1,
            self.links.count > geometry.links || self.headByteCount > geometry.headBytes
        {
            let before = self.links.count
            self.drop(to: self.links[max(1, before / 8)].headOffset)
            if self.links.count == before {
                self.headByteCount -= self.links.removeFirst().head.count
            }
        }
        if self.marks.count > geometry.marks {
            self.drop(to: self.marks[min(self.marks.count / 8 + 1, self.marks.count - 1)].offset)
        }
    }

    private mutating func dropFirstEvent() {
        guard let event = self.events.first else { return }
        self.fold(event)
        self.events.removeFirst()
    }

    /// Keeps of an event what goes for the bytes behind it.
    private mutating func fold(_ event: RingEvent) {
        self.eventByteCount -= event.byteCount
        switch event.kind {
        case .stretch(let stretch): self.base = (stretch, stretch.metadata)
        case .metadata(let metadata): self.base?.metadata = metadata
        }
    }
}
