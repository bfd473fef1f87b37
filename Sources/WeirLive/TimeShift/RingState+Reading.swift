// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Reading bytes.
extension RingState {
    /// A step of a reader.
    enum Step: Sendable {
        /// This piece; the cursor has moved behind it.
        case piece(StationPiece)
        /// Bytes to read without the lock, from an offset on; the cursor has not moved.
        case distant(Int64, count: Int)
        /// No piece for now.
        case nothing
    }

    /// The next step of a reader.
    mutating func next(_ cursor: inout RingCursor, limit: Int) -> Step {
        guard !self.isClosed else { return .nothing }
        if let stretch = cursor.stretch { return .piece(.stretch(cursor.tell(stretch))) }
        if cursor.offset < self.oldest {
            let joint = self.oldestJoint()
            let gap = max(.zero, joint.time - cursor.time)
            cursor.move(to: joint.begun(.fellBehind, gap: gap))
            return self.next(&cursor, limit: limit)
        }
        if cursor.awaitsStretch {
            guard self.end > cursor.offset else { return .nothing }
            self.arrive(&cursor)
            if cursor.stretch != nil { return self.next(&cursor, limit: limit) }
        }
        let serial = cursor.serial
        let next = self.firstEvent { $0.serial >= serial }
        var stop = self.end
        if next < self.events.count {
            let event = self.events[next]
            guard event.offset > cursor.offset else {
                cursor.serial = event.serial + 1
                switch event.kind {
                case .stretch(let stretch): return .piece(.stretch(cursor.tell(stretch)))
                case .metadata(let metadata): return .piece(.metadata(metadata))
                // A reader of bytes parses them itself.
                case .sign: return self.next(&cursor, limit: limit)
                }
            }
            stop = event.offset
        }
        let count = Int(min(Int64(max(1, limit)), stop - cursor.offset))
        guard count > 0 else { return .nothing }
        guard case .memory(let bytes) = self.find(cursor.offset, count) else {
            return .distant(cursor.offset, count: count)
        }
        return .piece(self.given(bytes, &cursor))
    }

    /// New sound has arrived for a waiting reader.
    ///
    /// The sound begins with a stretch, which is made here if the stream simply continues.
    func arrive(_ cursor: inout RingCursor) {
        cursor.awaitsStretch = false
        guard !self.hasStretch(at: cursor) else { return }
        let time = self.time(at: cursor.offset) ?? cursor.time
        cursor.move(to: self.joint(forTime: time).begun(.moved))
    }

    /// Finds the position of kept bytes.
    ///
    /// - Parameters:
    ///   - offset: the first byte.
    ///   - count: how many bytes are wanted.
    /// - Returns: the position of the first bytes, as many as are contiguous.
    mutating func find(_ offset: Int64, _ count: Int) -> RingStore.Position {
        guard offset >= self.oldest else { return .nothing }
        let position = self.store.find(offset, count)
        if case .nothing = position, offset < self.store.memoryStart {
            // Unreachable: kept bytes are in memory or on disk. If it happens, the reader skips to
            // the oldest byte in memory.
            self.drop(to: self.store.memoryStart)
        }
        return position
    }

    /// Moves a reader behind bytes that were read from disk, unless they were dropped meanwhile.
    ///
    /// - Returns: `nil` if the bytes were dropped during the read: other bytes may have replaced
    ///   them.
    mutating func took(_ bytes: ByteMemory, _ cursor: inout RingCursor) -> StationPiece? {
        guard !self.isClosed, cursor.offset >= self.oldest else { return nil }
        return self.given(bytes, &cursor)
    }

    private func given(_ bytes: ByteMemory, _ cursor: inout RingCursor) -> StationPiece {
        cursor.offset += Int64(bytes.count)
        cursor.time = self.time(at: cursor.offset) ?? cursor.time
        return .audio(bytes)
    }
}
