// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// What is known of the bytes in a ring: where connections and titles stand, where one can join, and when it sounds.
///
/// Pure, and bounded: beyond its limits the oldest bytes go, together with what is known of them.
struct RingIndex: Sendable {
    /// A place to join, and when its first sound is.
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

    let geometry: RingGeometry
    /// Where the next byte goes.
    private(set) var end: Int64 = 0
    /// The first byte that is kept.
    var oldest: Int64 = 0
    /// The number that the next event gets.
    private(set) var nextSerial: Int64 = 0
    /// What stands between the bytes, from ``oldest`` on.
    var events: [RingEvent] = []
    var eventByteCount = 0
    /// The logical streams of the bytes that are kept, the first of them begun at or before ``oldest``.
    var links: [Link] = []
    var headByteCount = 0
    /// The places to join, from ``oldest`` on.
    var marks: [Mark] = []
    /// The packets, from ``oldest`` on.
    var packets = RingPackets()
    /// The newest packet.
    private(set) var newest: Mark?
    /// The connection that ``oldest`` belongs to, and what was said last in it, as far as that was before ``oldest``.
    var base: StreamStretch?

    /// What the newest connection is, and where it begins.
    private var container: AudioContainer?
    private(set) var newestStretch: Int64 = 0
    private var lastMetadata: ICYMetadata?
    private var walk = OggPageWalk()
    /// Where pages begin in which no packet was noted yet, and the one in which the last was.
    private var pages: [Int64] = []
    private var notedPage: Int64 = -1
    /// How many pages may wait for their packets.
    private static let mostPages = 8192

    init(geometry: RingGeometry = RingGeometry()) {
        self.geometry = geometry
    }

    /// The number of the first event that is kept.
    var firstSerial: Int64 { self.events.first?.serial ?? self.nextSerial }
    /// When the newest packet starts.
    var newestTime: Duration { self.newest?.time ?? .zero }

    // MARK: What comes

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
        // One that is too large is not kept: a reader that joins behind it waits for the next.
        let kept = head.count <= self.geometry.headBytes / 2 ? head : .empty
        if self.links.last?.headOffset == offset {
            self.headByteCount -= self.links.removeLast().head.count
        }
        // A copy, since the bytes may be a small part of something large.
        let link = Link(container: container, head: ByteMemory(kept.array), headOffset: offset)
        self.links.append(link)
        self.headByteCount += kept.count
        self.shed()
    }

    /// Bytes were put to the end.
    mutating func append(_ bytes: ByteMemory) {
        if self.container == nil || self.container == .ogg {
            self.pages += self.walk.push(bytes, at: self.end).map(\.offset)
            if self.pages.count > Self.mostPages {
                self.pages.removeFirst(self.pages.count - Self.mostPages / 2)
            }
        }
        self.end += Int64(bytes.count)
    }

    /// A packet that starts at the offset starts at this time.
    ///
    /// Times that go back, and packets that are not here, do not count.
    mutating func note(time: Duration, at offset: Int64) {
        guard offset >= self.newestStretch, offset <= self.end, time >= self.newestTime,
            offset >= self.newest?.offset ?? 0
        else { return }
        self.newest = Mark(offset: offset, time: time)
        var place = offset
        if self.container == .ogg {
            // The first packet that starts in a page says when the page starts, for readers that join there.
            guard let index = self.pages.lastIndex(where: { $0 <= offset }) else { return }
            place = self.pages[index]
            self.pages.removeFirst(index)
            guard place != self.notedPage else { return }
            self.notedPage = place
        }
        guard place >= self.oldest else { return }
        if let last = self.marks.last, last.offset >= self.newestStretch {
            guard place > last.offset, time - last.time >= self.geometry.markDistance else {
                return
            }
        }
        self.marks.append(Mark(offset: place, time: time))
        self.shed()
    }

    /// The station says something of the sound from the offset on; what it says again is said once.
    mutating func note(_ metadata: ICYMetadata, at offset: Int64) {
        guard metadata.raw != self.lastMetadata?.raw else { return }
        var metadata = metadata
        metadata.audioOffset = min(max(offset, self.events.last?.offset ?? self.oldest), self.end)
        self.lastMetadata = metadata
        self.add(.metadata(metadata), at: metadata.audioOffset)
    }

    /// A packet was found, whose bytes were put to the end before.
    ///
    /// - Parameters:
    ///   - packet: no earlier in the stream than the last.
    ///   - parts: the parts behind its first.
    mutating func note(_ packet: RingPacket, parts: [Range<Int64>]) {
        self.note(time: packet.time, at: packet.offset)
        guard packet.offset >= max(self.oldest, self.newestStretch) else { return }
        self.packets.append(packet, parts: parts)
        if self.packets.count > self.geometry.packets {
            let number = self.packets.first + Int64(self.packets.count / 8 + 1)
            self.drop(to: self.packets[number].offset)
        }
    }

    /// Something stands before the next packet.
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

/// How far one listener has read; a new one stands at a joint, which is a place where a listener can begin.
struct RingCursor: Sendable {
    /// The byte that comes next.
    var offset: Int64
    /// The event that comes next.
    var serial: Int64
    /// The number of the packet that comes next, for a reader of packets.
    var packet: Int64 = 0
    /// The station's time of the byte that comes next, as far as it is known.
    var time: Duration
    /// What is to be told before anything else; `nil` also at a joint of a ring that has no connection yet: the next
    /// that begins is told by itself.
    var stretch: StreamStretch?
    /// Whether what comes next, and only that, is to begin with a stretch: that of a new connection, or, where the
    /// stream just goes on, one that is made then.
    var awaitsStretch = false
    /// Whether no stretch was told yet: the first is joined, whatever it begins with.
    var isFresh = true

    /// Tells a stretch.
    mutating func tell(_ stretch: StreamStretch) -> StreamStretch {
        self.stretch = nil
        guard self.isFresh else { return stretch }
        self.isFresh = false
        var joined = stretch
        joined.cause = .joined
        joined.gap = .zero
        return joined
    }

    /// Goes on elsewhere.
    mutating func move(to place: RingCursor) {
        let isFresh = self.isFresh
        self = place
        self.isFresh = isFresh
    }

    /// The same place for a listener that begins there.
    ///
    /// - Parameters:
    ///   - cause: why it begins there.
    ///   - gap: how much sound it leaves out.
    /// - Returns: a cursor whose stretch says so.
    func begun(_ cause: StreamStretch.Cause, gap: Duration = .zero) -> RingCursor {
        var cursor = self
        cursor.stretch?.cause = cause
        cursor.stretch?.gap = gap
        return cursor
    }
}
