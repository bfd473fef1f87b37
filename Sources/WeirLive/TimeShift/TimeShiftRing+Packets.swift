// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Reading packets, which the feed found when their bytes arrived.
extension TimeShiftRing {
    /// How many bytes and packets a reader gets at once; a single packet may be larger.
    private static let byteLimit: Int64 = 32 << 10
    private static let packetLimit: Int64 = 256

    /// The next packets or events for a reader of packets, in order; its stretch comes first.
    ///
    /// - Parameter cursor: the reader's position; it moves on.
    /// - Returns: `nil` at the live end, and after ``close()``.
    func readSound(at cursor: inout RingCursor) -> StationSound? {
        while true {
            switch self.withState({ $0.nextSound(&cursor, Self.packetLimit, Self.byteLimit) }) {
            case .sound(let sound): return sound
            case .nothing: return nil
            case .distant(let span, let last):
                // The bytes are older than those in memory, or not contiguous there. So they are
                // copied, and read from disk without the lock.
                guard let bytes = self.bytes(in: span) else { continue }
                let start = span.lowerBound
                if let sound = self.withState({ $0.sound(in: bytes, at: start, to: last, &cursor) })
                {
                    return sound
                }
            }
        }
    }

    /// A copy of the bytes in a range; `nil` if some of them are no longer kept.
    private func bytes(in range: Range<Int64>) -> ByteMemory? {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Int(range.upperBound - range.lowerBound))
        var offset = range.lowerBound
        while offset < range.upperBound {
            let limit = Int(range.upperBound - offset)
            guard let piece = self.piece(at: offset, limit: limit), !piece.isEmpty else {
                return nil
            }
            piece.withUnsafeBytes { bytes.append(contentsOf: $0) }
            offset += Int64(piece.count)
        }
        return ByteMemory(bytes)
    }
}

extension RingState {
    /// A step of a reader of packets.
    enum SoundStep: Sendable {
        /// This sound; the cursor has moved behind it.
        case sound(StationSound)
        /// The packets before a number, whose bytes must be read from this range; the cursor has
        /// not moved.
        case distant(Range<Int64>, to: Int64)
        /// No sound for now.
        case nothing
    }

    /// The next step of a reader of packets.
    mutating func nextSound(
        _ cursor: inout RingCursor,
        _ packetLimit: Int64,
        _ byteLimit: Int64
    ) -> SoundStep {
        guard !self.isClosed else { return .nothing }
        if let stretch = cursor.stretch { return .sound(.stretch(cursor.tell(stretch))) }
        let packets = self.packets
        if cursor.packet < packets.first || cursor.serial < self.firstSerial {
            let joint = self.oldestJoint()
            let gap = max(.zero, joint.time - cursor.time)
            cursor.move(to: joint.begun(.fellBehind, gap: gap))
            return self.nextSound(&cursor, packetLimit, byteLimit)
        }
        if cursor.awaitsStretch {
            guard packets.end > cursor.packet else { return .nothing }
            self.arrive(&cursor)
            if cursor.stretch != nil {
                return self.nextSound(&cursor, packetLimit, byteLimit)
            }
        }
        let serial = cursor.serial
        let next = self.firstEvent { $0.serial >= serial }
        var stop = packets.end
        if next < self.events.count {
            let event = self.events[next]
            guard event.packet > cursor.packet else {
                cursor.serial = event.serial + 1
                switch event.kind {
                case .stretch(let stretch):
                    cursor.offset = max(cursor.offset, event.offset)
                    return .sound(.stretch(cursor.tell(stretch)))
                case .metadata(let metadata): return .sound(.metadata(metadata))
                case .sign(let sign): return .sound(.sign(sign))
                }
            }
            stop = min(stop, event.packet)
        }
        guard cursor.packet < stop else { return .nothing }
        let first = max(cursor.offset, self.oldest)
        var end = packets.end(of: cursor.packet)
        var last = cursor.packet + 1
        while last < stop, last - cursor.packet < packetLimit,
            packets.end(of: last) - first <= byteLimit
        {
            end = max(end, packets.end(of: last))
            last += 1
        }
        let count = Int(end - first)
        guard case .memory(let bytes) = self.find(first, count), bytes.count == count else {
            return .distant(first..<end, to: last)
        }
        return .sound(self.given(bytes, at: first, to: last, &cursor))
    }

    /// The packets from the cursor on and before a number, in bytes that were read.
    ///
    /// - Returns: `nil` if they were dropped meanwhile: other bytes may have replaced them.
    mutating func sound(
        in bytes: ByteMemory,
        at offset: Int64,
        to last: Int64,
        _ cursor: inout RingCursor
    ) -> StationSound? {
        guard !self.isClosed, cursor.packet >= self.packets.first else { return nil }
        return self.given(bytes, at: offset, to: last, &cursor)
    }

    private func given(
        _ bytes: ByteMemory,
        at offset: Int64,
        to last: Int64,
        _ cursor: inout RingCursor
    ) -> StationSound {
        let packets = self.packets
        let placed = packets.placed(cursor.packet..<last)
        cursor.offset = packets.end(of: last - 1)
        cursor.time = self.time(at: cursor.offset) ?? cursor.time
        cursor.packet = last
        return .packets(StreamPackets(bytes: bytes, offset: offset, placed: placed))
    }
}
