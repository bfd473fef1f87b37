// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// The newest packets of a stretch (for Ogg, its pages), for comparison with the next connection.
///
/// It keeps only digests of the bytes, about ``limit`` of them at most.
struct StreamTail: Sendable {
    /// How many packets, or pages, are kept.
    static let limit = 4096

    /// The container of the stretch; `nil` before the first stretch.
    private(set) var container: AudioContainer?
    private(set) var units: [StreamUnit] = []
    /// How many packets or pages the stretch has had.
    private(set) var count = 0
    /// Whether the first of ``units`` is the first of the stretch.
    private(set) var isWhole = true
    /// The offset of the next byte.
    private(set) var end: Int64
    /// The station's time at which the last packet ends.
    private(set) var endTime: Duration
    private var walk = OggPageWalk()
    /// The end of the current logical stream's header, whose pages come with every connection.
    private var headEnd: Int64 = 0

    /// An empty tail.
    init(end: Int64 = 0, endTime: Duration = .zero) {
        self.end = end
        self.endTime = endTime
    }

    /// Adds the next step of the stream.
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

/// A packet, or a page of an Ogg stream, for comparison with packets or pages of another
/// connection.
struct StreamUnit: Sendable {
    /// The offset of its first byte.
    var offset: Int64
    var byteCount: Int
    /// The digest of its bytes.
    var digest: UInt64
    /// The station's time at which it starts; approximate for a page.
    var time: Duration

    init(_ packet: StreamPacket) {
        self.offset = packet.offset
        self.byteCount = packet.byteCount
        self.digest = packet.digest
        self.time = packet.time
    }

    /// Two pages are equal when their headers, including the checksums, are equal.
    init(_ page: OggPageSpan, time: Duration) {
        self.offset = page.offset
        self.byteCount = page.byteCount
        self.digest =
            (UInt64(page.sequence) << 32 | UInt64(page.checksum))
            ^ UInt64(page.serial) &* 0x9E37_79B9_7F4A_7C15
        self.time = time
    }

    /// Whether both have the same bytes.
    func isSame(as other: StreamUnit) -> Bool {
        self.digest == other.digest && self.byteCount == other.byteCount
    }
}

/// The facts about a packet of a connection.
struct StreamPacket: Hashable, Sendable {
    /// Its position, and its start on the station's time line.
    var placed: PlacedPacket
    var duration: Duration
    /// The digest of its bytes: equal for equal bytes, and almost never for others.
    let digest: UInt64
    let byteCount: Int

    /// A packet that a parser has found.
    init(_ packet: AudioPacket, _ placed: PlacedPacket, duration: Duration) {
        self.placed = placed
        self.duration = duration
        self.digest = packet.payload.digest
        self.byteCount = packet.payload.count
    }

    /// The offset of its first byte.
    var offset: Int64 { self.placed.packet.offset }
    /// The station's time at which it starts.
    var time: Duration { self.placed.packet.time }

    /// Moves the packet's position and time.
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
    /// A hash of all bytes, different in each process.
    fileprivate var digest: UInt64 {
        var hasher = Hasher()
        self.withUnsafeBytes { hasher.combine(bytes: $0) }
        return UInt64(bitPattern: Int64(hasher.finalize()))
    }
}
