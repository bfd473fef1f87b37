// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// The newest packets of a stretch, by which the next connection is compared with it; of Ogg the pages.
///
/// Of the bytes it keeps digests only, at most ``limit`` of them.
struct StreamTail: Sendable {
    /// How many packets, or pages, are kept.
    static let limit = 4096

    /// What the stretch is; `nil` before the first.
    private(set) var container: AudioContainer?
    private(set) var units: [StreamUnit] = []
    /// How many there were.
    private(set) var count = 0
    /// Whether the first of ``units`` is the first of the stretch.
    private(set) var isWhole = true
    /// Where the next byte lies.
    private(set) var end: Int64
    /// The station's time at which the last packet ends.
    private(set) var endTime: Duration
    private var walk = OggPageWalk()
    /// Where the header of the present logical stream ends: its pages come with every connection.
    private var headEnd: Int64 = 0

    /// The tail of nothing.
    init(end: Int64 = 0, endTime: Duration = .zero) {
        self.end = end
        self.endTime = endTime
    }

    /// What stands next in the stream.
    mutating func add(_ step: FeedStep) {
        switch step {
        case .stretch(let container):
            self = StreamTail(end: self.end, endTime: self.endTime)
            self.container = container
        case .link(_, let head, let offset): self.headEnd = offset + Int64(head.count)
        case .title, .sign: break
        case .bytes(let bytes):
            if self.container == .ogg {
                for page in self.walk.push(bytes, at: self.end) where page.offset >= self.headEnd {
                    self.add(StreamUnit(page, time: self.endTime))
                }
            }
            self.end += Int64(bytes.count)
        case .packet(let packet):
            self.endTime = packet.time + packet.duration
            if self.container != .ogg { self.add(StreamUnit(packet)) }
        }
    }

    private mutating func add(_ unit: StreamUnit) {
        self.units.append(unit)
        self.count += 1
        guard self.units.count > Self.limit + Self.limit / 8 else { return }
        self.units.removeFirst(self.units.count - Self.limit)
        self.isWhole = false
    }
}

/// A packet, or a page of an Ogg stream, as it is compared with those of another connection.
struct StreamUnit: Sendable {
    /// Where its first byte lies.
    var offset: Int64
    var byteCount: Int
    /// Of its bytes.
    var digest: UInt64
    /// The station's time at which it starts; of a page about.
    var time: Duration

    init(_ packet: StreamPacket) {
        self.offset = packet.offset
        self.byteCount = packet.byteCount
        self.digest = packet.digest
        self.time = packet.time
    }

    /// A page is the same where all that its header says of it is, its checksum included.
    init(_ page: OggPageSpan, time: Duration) {
        self.offset = page.offset
        self.byteCount = page.byteCount
        self.digest =
            (UInt64(page.sequence) << 32 | UInt64(page.checksum))
            ^ UInt64(page.serial) &* 0x9E37_79B9_7F4A_7C15
        self.time = time
    }

    /// Whether they are of the same bytes.
    func isSame(as other: StreamUnit) -> Bool {
        self.digest == other.digest && self.byteCount == other.byteCount
    }
}

/// What is known of a packet of a connection.
struct StreamPacket: Hashable, Sendable {
    /// Where it lies, and when it starts on the station's time line.
    var placed: PlacedPacket
    var duration: Duration
    /// Of its bytes: equal for equal bytes, and hardly for others.
    let digest: UInt64
    let byteCount: Int

    /// A packet that a parser has found.
    init(_ packet: AudioPacket, _ placed: PlacedPacket, duration: Duration) {
        self.placed = placed
        self.duration = duration
        self.digest = packet.payload.digest
        self.byteCount = packet.payload.count
    }

    /// Where its first byte lies.
    var offset: Int64 { self.placed.packet.offset }
    /// The station's time at which it starts.
    var time: Duration { self.placed.packet.time }

    /// Counts its place from elsewhere, and its time.
    mutating func move(by distance: Int64, _ time: Duration = .zero) {
        self.placed.packet.offset += distance
        self.placed.packet.time += time
        for index in self.placed.parts.indices {
            let part = self.placed.parts[index]
            self.placed.parts[index] = part.lowerBound + distance..<part.upperBound + distance
        }
    }
}

extension ByteMemory {
    /// A number made of all bytes, another one in each process.
    fileprivate var digest: UInt64 {
        var hasher = Hasher()
        self.withUnsafeBytes { hasher.combine(bytes: $0) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
