// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

extension RingState {
    /// The time of the oldest joint; without a joint, the newest time.
    var oldestTime: Duration { self.marks.first?.time ?? self.newestTime }

    /// The time of the byte at an offset, interpolated between the packets around it.
    ///
    /// - Returns: at an end of the ring, the time of that end; `nil` if no packet was noted yet.
    func time(at offset: Int64) -> Duration? {
        guard let newest = self.newest else { return nil }
        guard offset < newest.offset else { return newest.time }
        let next = self.firstMark { $0.offset > offset }
        guard next > 0 else { return self.oldestTime }
        let before = self.marks[next - 1]
        let after = next < self.marks.count ? self.marks[next] : newest
        guard after.offset > before.offset else { return before.time }
        let part = Double(offset - before.offset) / Double(after.offset - before.offset)
        return before.time + (after.time - before.time) * part
    }

    /// The nearest joint at or before a time; the oldest one, if all are later.
    func joint(forTime time: Duration) -> RingCursor {
        let next = self.firstMark { $0.time > time }
        let last = self.marks.last
        // A connection without a packet yet is newer than all noted packets.
        let isUntimed = last.map { $0.offset < self.newestStretch } ?? true
        if isUntimed, time >= self.newestTime {
            return self.joint(at: max(self.newestStretch, self.oldest), time: self.newestTime)
        }
        guard let mark = next > 0 ? self.marks[next - 1] : self.marks.first else {
            return self.joint(at: max(self.newestStretch, self.oldest), time: self.newestTime)
        }
        return self.joint(at: mark.offset, time: mark.time)
    }

    /// The oldest joint; if no better position is known, the oldest byte, from which parsers find
    /// the next frame.
    func oldestJoint() -> RingCursor {
        if let event = self.events.first, case .stretch = event.kind, event.offset == self.oldest {
            return self.joint(at: event.offset, time: self.oldestTime)
        }
        guard let mark = self.marks.first else {
            return self.joint(at: self.oldest, time: self.newestTime)
        }
        return self.joint(at: mark.offset, time: mark.time)
    }

    /// Whether a connection begins at a reader's position.
    func hasStretch(at cursor: RingCursor) -> Bool {
        let next = self.firstEvent { $0.serial >= cursor.serial }
        let due = self.events[next...].prefix { $0.offset <= cursor.offset }
        return due.contains(where: \.isStretch)
    }

    /// The cursor of a reader that joins at a kept offset.
    private func joint(at offset: Int64, time: Duration) -> RingCursor {
        let start = self.connection(at: offset)?.offset ?? 0
        let link = self.links.last { $0.headOffset <= offset && $0.headOffset >= start }
        let isBehind = link.map { offset > $0.headOffset } ?? false
        // A reader that gets the header begins behind it.
        let position = isBehind ? min(max(offset, link?.headEnd ?? 0), self.end) : offset
        if position > offset, let next = self.connection(at: position), next.offset > start {
            // The connection ended with its header: the bytes behind the header belong to another
            // connection.
            return self.joint(at: position, time: time)
        }
        let next = self.firstEvent { $0.offset > position }
        let serial = next < self.events.count ? self.events[next].serial : self.nextSerial
        var joint = RingCursor(offset: position, serial: serial, time: time)
        joint.packet = self.packets.number(from: position)
        guard var stretch = self.stretch(before: next) else { return joint }
        if let link { stretch.container = link.container }
        if isBehind, let link {
            stretch.head = link.head
            stretch.headOffset = link.headOffset
        }
        stretch.cause = .joined
        stretch.offset = position
        stretch.gap = .zero
        joint.stretch = stretch
        return joint
    }

    /// The stretch of the connection that an offset belongs to.
    private func connection(at offset: Int64) -> StreamStretch? {
        self.stretch(before: self.firstEvent { $0.offset > offset })
    }

    /// The last stretch that begins before the event at an index, with the last facts announced
    /// before that event.
    private func stretch(before next: Int) -> StreamStretch? {
        let first = self.events[..<next].lastIndex { $0.isStretch }
        var stretch = self.base
        for event in self.events[(first ?? 0)..<next] { event.add(to: &stretch) }
        return stretch
    }

    // MARK: Searching

    /// The index of the first mark that meets a condition; the number of marks if no mark meets it.
    ///
    /// All later marks must meet the condition, too.
    private func firstMark(where holds: (Mark) -> Bool) -> Int {
        Self.first(self.marks.count) { holds(self.marks[$0]) }
    }

    /// The index of the first event that meets a condition; the number of events if no event meets
    /// it.
    ///
    /// All later events must meet the condition, too.
    func firstEvent(where holds: (RingEvent) -> Bool) -> Int {
        Self.first(self.events.count) { holds(self.events[$0]) }
    }

    private static func first(_ count: Int, where holds: (Int) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = low + (high - low) / 2
            if holds(middle) { high = middle } else { low = middle + 1 }
        }
        return low
    }

    /// Forgets the bytes before an offset.
    ///
    /// - Parameter offset: the first byte to keep; an offset behind the end counts as the end.
    mutating func drop(to offset: Int64) {
        let offset = min(offset, self.end)
        guard offset > self.oldest else { return }
        self.oldest = offset
        let gone = self.events.firstIndex { $0.offset >= offset } ?? self.events.count
        for event in self.events[..<gone] { self.fold(event) }
        self.events.removeFirst(gone)
        self.marks.removeFirst(self.marks.firstIndex { $0.offset >= offset } ?? self.marks.count)
        self.packets.drop(before: offset)
        self.store.drop(before: offset)
        // The last link that began at or before the offset still applies there.
        let later = self.links.firstIndex { $0.headOffset > offset } ?? self.links.count
        if later > 1 {
            self.headByteCount -= self.links[..<(later - 1)].reduce(0) { $0 + $1.head.count }
            self.links.removeFirst(later - 1)
        }
    }

    /// Drops the oldest extents that exceed the limits.
    mutating func trim() {
        let extent = Int64(self.geometry.extent)
        while true {
            let boundary = (self.oldest / extent + 1) * extent
            guard boundary <= self.end else { return }
            let isTooMuch = self.end - self.oldest > self.limits.byteCount
            guard isTooMuch || self.isPast(boundary, self.limits.duration) else { return }
            self.drop(to: boundary)
        }
    }

    /// Whether all bytes before an offset are further behind the newest packet than a distance.
    private func isPast(_ offset: Int64, _ distance: Duration) -> Bool {
        guard let newest = self.newest, offset <= newest.offset, let time = self.time(at: offset)
        else { return false }
        return newest.time - time >= distance
    }

    /// Drops the oldest bytes if the index is too large: an eighth at a time, so that this is rare.
    mutating func shed() {
        let geometry = self.geometry
        if self.events.count > geometry.events || self.eventByteCount > geometry.eventBytes {
            let first = self.events[0].offset
            let later = self.events.dropFirst(self.events.count / 8).first { $0.offset > first }
            if let later { self.drop(to: later.offset) }
            // The remaining events share one position: readers get only the last ones.
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

    /// Keeps an event's facts that apply to the following bytes.
    private mutating func fold(_ event: RingEvent) {
        self.eventByteCount -= event.byteCount
        event.add(to: &self.base)
    }
}
