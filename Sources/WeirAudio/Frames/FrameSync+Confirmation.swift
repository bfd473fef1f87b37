// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension FrameSync {
    /// Whether a run of frames starts at a header.
    ///
    /// - Parameters:
    ///   - first: the header.
    ///   - start: the offset of the header from the front of the window.
    ///   - window: the stream.
    /// - Returns: the size of frames in free format, if a run starts there.
    mutating func confirm(_ first: Header, at start: Int, _ window: inout ByteWindow)
        -> Reading<Int>
    {
        guard first.isFreeFormat else {
            return self.chain(first, at: start, freeSize: 0, &window)
        }
        if self.freeSize > 0, let pattern = self.pattern, first.agrees(with: pattern) {
            return self.chain(first, at: start, freeSize: self.freeSize, &window)
        }
        // The next frame that agrees gives the size; a run must continue from that frame.
        let padding = first.frameSize(freeSize: 0)
        let offset = window.offset &+ Int64(start)
        // If bytes arrive one by one, continue where the last attempt stopped.
        let scan = self.freeScan.flatMap { $0.offset == offset ? $0 : nil }
        self.freeScan = nil
        var size = scan?.size ?? Header.smallestFreeFrame
        var disproved = scan?.disproved ?? 1
        while size <= Header.largestFreeFrame {
            let at = start + size
            guard let view = window.peek(at + Header.byteCount) else {
                if window.isAtEnd { return .none }
                self.wait(for: at + Header.byteCount, window)
                self.freeScan = (offset, size, 1)
                return .needsMore
            }
            if view.base[at] == 0xFF, let next = Header(view, at: at), next.agrees(with: first) {
                switch self.chain(first, at: start, freeSize: size - padding, &window) {
                case .none: break
                case .needsMore:
                    self.freeScan = (offset, size, 1)
                    return .needsMore
                case .found(let freeSize):
                    guard let sign = self.disproof(start + disproved..<at, &window) else {
                        return .found(freeSize)
                    }
                    guard case .needsMore(let place) = sign else { return .none }
                    disproved = place - start
                    self.freeScan = (offset, size, disproved)
                    return .needsMore
                }
            }
            size += 1
            disproved = 1
        }
        return .none
    }

    /// Looks for ordinary frames within a suspected frame in free format.
    ///
    /// If all frames are alike, as in silence, they seem to contain frames in free format wherever
    /// their bytes happen to look like a header.
    ///
    /// - Returns: the first ordinary frame, or a place that may be one; `nil` if there is no such
    ///   frame.
    private mutating func disproof(_ range: Range<Int>, _ window: inout ByteWindow) -> Sign? {
        for index in range {
            guard let view = window.peek(index + Header.byteCount) else { break }
            guard view.base[index] == 0xFF, let header = Header(view, at: index),
                !header.isFreeFormat
            else { continue }
            switch self.chain(header, at: index, freeSize: 0, &window) {
            case .found: return .run(index, header, freeSize: 0)
            case .needsMore: return .needsMore(index)
            case .none: break
            }
        }
        return nil
    }

    /// Follows a run of frames from header to header.
    private mutating func chain(
        _ first: Header,
        at start: Int,
        freeSize: Int,
        _ window: inout ByteWindow
    ) -> Reading<Int> {
        let isKnown = self.pattern.map { first.agrees(with: $0) } ?? false
        let needed = isKnown ? 2 : first.agreement + (self.pattern == nil ? 0 : 1)
        let end = start + first.frameSize(freeSize: freeSize)
        var enough = needed
        var header = first
        var at = start
        var agreeing = 1
        // The loop ends when enough frames agree.
        while true {
            at += header.frameSize(freeSize: freeSize)
            guard let view = window.peek(at + Header.byteCount) else {
                guard window.isAtEnd else {
                    self.wait(for: at + Header.byteCount, window)
                    return .needsMore
                }
                // A few frames at the end count if they are like the rest, or if the stream has no
                // others.
                guard isKnown || self.pattern == nil else { return .none }
                if agreeing > (first.isFreeFormat && !isKnown ? 3 : 1) { return .found(freeSize) }
                return at == window.count && self.isPlausible(first, start..<end, &window)
                    ? .found(freeSize) : .none
            }
            guard let next = Header(view, at: at), next.agrees(with: first) else {
                guard view.mayBeTag(at: at) else { return .none }
                return agreeing > 1 || self.isPlausible(first, start..<end, &window)
                    ? .found(freeSize) : .none
            }
            agreeing += 1
            if agreeing == needed, !self.isPlausible(first, start..<end, &window) {
                // An encoder may write implausible frames, but then all frames of the stream are
                // like that.
                enough = needed + 3
            }
            if agreeing == needed + 1, let second = Header(view, at: end),
                self.isPlausible(second, end..<end + second.frameSize(freeSize: freeSize), &window)
            {
                return .none
            }
            if agreeing >= enough { return .found(freeSize) }
            header = next
        }
    }

    /// Whether to accept a single frame, whole in the window, without another that agrees.
    private func isPlausible(
        _ header: Header,
        _ range: Range<Int>,
        _ window: inout ByteWindow
    ) -> Bool {
        guard let view = window.peek(range.upperBound) else { return false }
        let earlier = self.sound.flatMap { header.agrees(with: $0) ? $0 : nil }
        return header.isPlausible(view[range], after: earlier)
    }
}
