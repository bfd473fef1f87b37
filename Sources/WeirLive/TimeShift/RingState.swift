// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// The whole state of a ring, without its lock: the positions of connections and titles, the
/// joints, and their times.
///
/// It is bounded: beyond its limits it drops the oldest bytes and its entries for them.
struct RingState: Sendable {
    /// A position to join at, and the time of its first sound.
    struct Mark: Hashable, Sendable {
        var offset: Int64
        var time: Duration
    }

    /// A logical stream with its header.
    struct Link: Sendable {
        var container: AudioContainer
        var head: ByteMemory
        var headOffset: Int64

        /// Where the header ends.
        var headEnd: Int64 { self.headOffset + Int64(self.head.count) }
    }

    let limits: TimeShiftLimits
    let geometry: RingGeometry
    /// The kept bytes.
    var store: RingStore
    private(set) var isClosed = false
    /// The offset of the next byte.
    private(set) var end: Int64 = 0
    /// The first kept byte.
    var oldest: Int64 = 0
    /// The number of the next event.
    private(set) var nextSerial: Int64 = 0
    /// The events between the bytes, from ``oldest`` on.
    var events: [RingEvent] = []
    var eventByteCount = 0
    /// The logical streams of the kept bytes; the first of them began at or before ``oldest``.
    var links: [Link] = []
    var headByteCount = 0
    /// The positions to join at, from ``oldest`` on.
    var marks: [Mark] = []
    /// The packets, from ``oldest`` on.
    var packets = RingPackets()
    /// The newest packet.
    private(set) var newest: Mark?
    /// The stretch of ``oldest``'s connection, with the last facts announced before ``oldest``.
    var base: StreamStretch?

    /// The container of the newest connection, and where it begins.
    private var container: AudioContainer?
    private(set) var newestStretch: Int64 = 0
    private var lastMetadata: ICYMetadata?
    private var walk = OggPageWalk()
    /// The offsets of pages in which no packet was noted yet, and of the page with the last noted
    /// packet.
    private var pages: [Int64] = []
    private var notedPage: Int64 = -1
    /// How many pages may wait for their packets.
    private static let mostPages = 8192

    /// An empty ring.
    ///
    /// - Parameters:
    ///   - limits: how much is kept.
    ///   - geometry: the portions.
    ///   - disk: opens the disk when the first block goes there.
    init(
        limits: TimeShiftLimits,
        geometry: RingGeometry,
        disk: @escaping @Sendable () throws(RingDiskError) -> any RingDisk
    ) {
        self.limits = limits
        self.geometry = geometry
        self.store = RingStore(geometry: geometry, disk: limits.duration > .zero ? disk : nil)
    }

    /// The number of the first kept event.
    var firstSerial: Int64 { self.events.first?.serial ?? self.nextSerial }
    /// When the newest packet starts.
    var newestTime: Duration { self.newest?.time ?? .zero }

    // MARK: Input

    /// A connection begins at the end.
    mutating func begin(_ stretch: StreamStretch) {
        var stretch = stretch
        stretch.offset = self.end
        self.container = stretch.container
        self.newestStretch = self.end
        self.lastMetadata = stretch.metadata
        self.walk.restart()
        self.pages = []
        self.add(.stretch(stretch), at: self.end)
    }

    /// A logical stream has shown its header.
    mutating func beginLink(container: AudioContainer, head: ByteMemory, headOffset: Int64) {
        self.container = container
        let least = max(self.newestStretch, self.links.last?.headOffset ?? 0)
        let offset = min(max(headOffset, least), self.end)
        // A header that is too large is not kept: a reader that joins behind it waits for the next
        // one.
        let kept = head.count <= self.geometry.headBytes / 2 ? head : .empty
        if self.links.last?.headOffset == offset {
            self.headByteCount -= self.links.removeLast().head.count
        }
        // A copy, since the bytes may be a small part of a large chunk.
        let link = Link(container: container, head: ByteMemory(kept.array), headOffset: offset)
        self.links.append(link)
        self.headByteCount += kept.count
        self.shed()
    }

    /// Appends bytes at the end; bytes beyond the limits are dropped.
    mutating func append(_ bytes: ByteMemory) {
        if self.container == nil || self.container == .ogg {
            self.pages += self.walk.push(bytes, at: self.end).map(\.offset)
            if self.pages.count > Self.mostPages {
                self.pages.removeFirst(self.pages.count - Self.mostPages / 2)
            }
        }
        self.end += Int64(bytes.count)
        self.trim()
        self.store.append(bytes, keepingFrom: self.oldest)
        self.drop(to: self.store.first)
    }

    /// Stops using the disk, and drops all bytes on it.
    mutating func diskFailed(_ error: RingDiskError) {
        guard !self.isClosed else { return }
        self.store.diskFailed(error)
        self.drop(to: self.store.first)
    }

    /// Ends the ring: it keeps nothing, and readers get nothing more.
    mutating func close() {
        self.isClosed = true
        self.store.close()
    }

    /// Notes that the packet at an offset starts at this time.
    ///
    /// Times that go back are ignored, and packets outside the newest connection.
    mutating func note(time: Duration, at offset: Int64) {
        guard offset >= self.newestStretch, offset <= self.end, time >= self.newestTime,
            offset >= self.newest?.offset ?? 0
        else { return }
        self.newest = Mark(offset: offset, time: time)
        var position = offset
        if self.container == .ogg {
            // The first packet that starts in a page determines the page's time, for readers that
            // join there.
            guard let index = self.pages.lastIndex(where: { $0 <= offset }) else { return }
            position = self.pages[index]
            self.pages.removeFirst(index)
            guard position != self.notedPage else { return }
            self.notedPage = position
        }
        guard position >= self.oldest else { return }
        if let last = self.marks.last, last.offset >= self.newestStretch {
            guard position > last.offset, time - last.time >= self.geometry.markDistance else {
                return
            }
        }
        self.marks.append(Mark(offset: position, time: time))
        self.shed()
    }

    /// Notes the station's metadata for the sound from the offset on; a repetition is ignored.
    mutating func note(_ metadata: ICYMetadata, at offset: Int64) {
        guard metadata.raw != self.lastMetadata?.raw else { return }
        var metadata = metadata
        metadata.audioOffset = min(max(offset, self.events.last?.offset ?? self.oldest), self.end)
        self.lastMetadata = metadata
        self.add(.metadata(metadata), at: metadata.audioOffset)
    }

    /// Notes a packet whose bytes were appended before.
    ///
    /// - Parameters:
    ///   - packet: a packet no earlier in the stream than the last.
    ///   - parts: the packet's parts after the first.
    mutating func note(_ packet: RingPacket, parts: [Range<Int64>]) {
        self.note(time: packet.time, at: packet.offset)
        guard packet.offset >= max(self.oldest, self.newestStretch) else { return }
        self.packets.append(packet, parts: parts)
        if self.packets.count > self.geometry.packets {
            let number = self.packets.first + Int64(self.packets.count / 8 + 1)
            self.drop(to: self.packets[number].offset)
        }
    }

    /// Notes a sign before the next packet.
    mutating func note(_ sign: StreamSign) {
        self.add(.sign(sign), at: self.end)
    }

    private mutating func add(_ kind: RingEvent.Kind, at offset: Int64) {
        let event = RingEvent(
            serial: self.nextSerial,
            offset: offset,
            packet: self.packets.end,
            kind: kind
        )
        self.nextSerial += 1
        self.events.append(event)
        self.eventByteCount += event.byteCount
        self.shed()
    }
}

/// The position of one listener in the ring.
///
/// A new cursor is at a joint, which is a position where a listener can begin.
struct RingCursor: Sendable {
    /// The offset of the next byte.
    var offset: Int64
    /// The number of the next event.
    var serial: Int64
    /// The number of the next packet, for a reader of packets.
    var packet: Int64 = 0
    /// The station's time of the next byte, as far as it is known.
    var time: Duration
    /// The stretch that the reader gets next; `nil` if the reader gets no stretch next.
    ///
    /// It is also `nil` at a joint of a ring without connections: the first connection then brings
    /// its own stretch.
    var stretch: StreamStretch?
    /// Whether the reader waits for new sound, and gets a stretch when the sound arrives.
    ///
    /// A new connection brings its own stretch. If the stream simply continues, the ring makes one.
    var awaitsStretch = false
    /// Whether the reader has got no stretch yet: the first one has the cause `joined`.
    var isFresh = true

    /// Marks a stretch as delivered, and adjusts it if it is the reader's first stretch.
    mutating func tell(_ stretch: StreamStretch) -> StreamStretch {
        self.stretch = nil
        guard self.isFresh else { return stretch }
        self.isFresh = false
        var joined = stretch
        joined.cause = .joined
        joined.gap = .zero
        return joined
    }

    /// Moves to another position.
    mutating func move(to position: RingCursor) {
        let isFresh = self.isFresh
        self = position
        self.isFresh = isFresh
    }

    /// The same position for a listener that begins there.
    ///
    /// - Parameters:
    ///   - cause: why it begins there.
    ///   - gap: how much sound it skips.
    /// - Returns: a cursor with this cause and gap in its stretch.
    func begun(_ cause: StreamStretch.Cause, gap: Duration = .zero) -> RingCursor {
        var cursor = self
        cursor.stretch?.cause = cause
        cursor.stretch?.gap = gap
        return cursor
    }
}
