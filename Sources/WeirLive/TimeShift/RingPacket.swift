// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirAudio

/// A packet in a ring: where its bytes lie, and what the parser said of it.
///
/// It is small, since half an hour has some 70,000 of them: 64 bytes.
struct RingPacket: Hashable, Sendable {
    /// Where its first byte lies in the station's stream.
    var offset: Int64
    /// When it starts, on the station's time line.
    var time: Duration
    /// How many bytes of it lie at ``offset`` in a row.
    var count: UInt32
    /// How many samples a second it has.
    var sampleRate: UInt32
    /// How many samples it decodes to, and how many of these are trimmed.
    var duration: UInt32
    var trimStart: UInt32
    var trimEnd: UInt32
    /// See `AudioFormat.section`.
    var section: UInt32
    /// See `AudioPacket.headerCount`.
    var headerCount: UInt8
    /// See `AudioPacket.isIndependent`.
    var isIndependent: Bool

    /// What is known of a packet.
    ///
    /// - Parameters:
    ///   - packet: the parser's.
    ///   - place: where its bytes lie in the station's stream, as far as they lie in a row.
    ///   - time: when it starts, on the station's time line.
    ///   - sampleRate: samples a second of its stream.
    init(_ packet: AudioPacket, at place: Range<Int64>, time: Duration, sampleRate: Int) {
        self.offset = place.lowerBound
        self.time = time
        self.sampleRate = UInt32(clamping: sampleRate)
        self.count = UInt32(clamping: place.upperBound - place.lowerBound)
        self.duration = UInt32(clamping: packet.duration.rawValue)
        self.trimStart = UInt32(clamping: packet.trimStart.rawValue)
        self.trimEnd = UInt32(clamping: packet.trimEnd.rawValue)
        self.section = UInt32(clamping: packet.section)
        self.headerCount = UInt8(clamping: packet.headerCount)
        self.isIndependent = packet.isIndependent
    }

    /// Where its bytes lie, as far as they lie in a row.
    var place: Range<Int64> { self.offset..<self.offset + Int64(self.count) }

    /// The packet with its bytes.
    func packet(_ payload: ByteMemory) -> AudioPacket {
        var packet = AudioPacket(
            payload: payload,
            offset: self.offset,
            start: SampleCount(seconds: self.time / .seconds(1), sampleRate: Int(self.sampleRate))
                ?? 0,
            duration: SampleCount(Int64(self.duration))
        )
        packet.trimStart = SampleCount(Int64(self.trimStart))
        packet.trimEnd = SampleCount(Int64(self.trimEnd))
        packet.section = Int(self.section)
        packet.headerCount = Int(self.headerCount)
        packet.isIndependent = self.isIndependent
        return packet
    }
}

/// A packet, and where all of its bytes lie.
struct PlacedPacket: Hashable, Sendable {
    var packet: RingPacket
    /// The parts behind its first, of one that crosses from one Ogg page into the next.
    var parts: [Range<Int64>]

    /// Where its last byte ends.
    var end: Int64 { self.parts.last?.upperBound ?? self.packet.place.upperBound }
}

/// Packets that follow each other, in the bytes that they lie in.
package struct StreamPackets: Sendable {
    /// The bytes behind those of the packets before, up to the end of the last of these.
    let bytes: ByteMemory
    /// Where the first of them lies in the station's stream.
    let offset: Int64
    /// At least one.
    let placed: [PlacedPacket]

    /// The packets as the parser gave them, which start where the station's time says; without a copy where a packet lies
    /// in a row.
    package var packets: [AudioPacket] {
        self.placed.map { placed in
            let first = self.piece(placed.packet.place)
            guard !placed.parts.isEmpty else { return placed.packet.packet(first) }
            let rest = placed.parts.flatMap { self.piece($0).array }
            return placed.packet.packet(ByteMemory(first.array + rest))
        }
    }

    /// When the last of them starts, on the station's time line.
    var lastTime: Duration { self.placed.last?.packet.time ?? .zero }

    /// Those that start before a time of the station; `nil` if none does.
    func before(_ time: Duration) -> StreamPackets? {
        let kept = Array(self.placed.prefix { $0.packet.time < time })
        guard let last = kept.last else { return nil }
        return StreamPackets(
            bytes: self.bytes[0..<Int(last.end - self.offset)],
            offset: self.offset,
            placed: kept
        )
    }

    private func piece(_ part: Range<Int64>) -> ByteMemory {
        self.bytes[Int(part.lowerBound - self.offset)..<Int(part.upperBound - self.offset)]
    }
}

/// The packets of the bytes that a ring keeps, in their order, numbered over all connections.
struct RingPackets: Sendable {
    /// The number of the first that is kept.
    private(set) var first: Int64 = 0
    private var packets: [RingPacket] = []
    /// The other parts of packets that do not lie in a row, by their numbers: those that cross from one Ogg page into
    /// the next.
    private var parts: [Int64: [Range<Int64>]] = [:]

    var count: Int { self.packets.count }
    /// The number that the next packet gets.
    var end: Int64 { self.first + Int64(self.packets.count) }

    /// The packet of a number from ``first`` to before ``end``.
    subscript(number: Int64) -> RingPacket { self.packets[Int(number - self.first)] }

    /// The packets of numbers from ``first`` to before ``end``.
    func placed(_ numbers: Range<Int64>) -> [PlacedPacket] {
        numbers.map { PlacedPacket(packet: self[$0], parts: self.parts[$0] ?? []) }
    }

    /// Where the last byte of a packet ends.
    func end(of number: Int64) -> Int64 {
        self.parts[number]?.last?.upperBound ?? self[number].place.upperBound
    }

    /// Adds a packet to the end.
    ///
    /// - Parameters:
    ///   - packet: no earlier in the stream than the last.
    ///   - parts: the parts behind its first.
    mutating func append(_ packet: RingPacket, parts: [Range<Int64>]) {
        if !parts.isEmpty { self.parts[self.end] = parts }
        self.packets.append(packet)
    }

    /// The first packet that begins at or behind an offset; ``end`` if there is none.
    func number(from offset: Int64) -> Int64 {
        var (low, high) = (0, self.packets.count)
        while low < high {
            let middle = low + (high - low) / 2
            if self.packets[middle].offset >= offset { high = middle } else { low = middle + 1 }
        }
        return self.first + Int64(low)
    }

    /// Forgets the packets that begin before an offset.
    mutating func drop(before offset: Int64) {
        let number = self.number(from: offset)
        guard number > self.first else { return }
        for gone in self.first..<number where !self.parts.isEmpty { self.parts[gone] = nil }
        self.packets.removeFirst(Int(number - self.first))
        self.first = number
    }
}
