// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirAudio

/// A packet in a ring: the position of its bytes, and the parser's facts about it.
///
/// It is small, 64 bytes, since half an hour has some 70,000 of them.
struct RingPacket: Hashable, Sendable {
    /// The offset of its first byte in the station's stream.
    var offset: Int64
    /// When it starts, on the station's time line.
    var time: Duration
    /// How many of its bytes are contiguous from ``offset`` on.
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

    /// The facts about a packet.
    ///
    /// - Parameters:
    ///   - packet: the parser's packet.
    ///   - position: the range of its contiguous first bytes in the station's stream.
    ///   - time: when it starts, on the station's time line.
    ///   - sampleRate: the sample rate of its stream.
    init(_ packet: AudioPacket, at position: Range<Int64>, time: Duration, sampleRate: Int) {
        self.offset = position.lowerBound
        self.time = time
        self.sampleRate = UInt32(clamping: sampleRate)
        self.count = UInt32(clamping: position.upperBound - position.lowerBound)
        self.duration = UInt32(clamping: packet.duration.rawValue)
        self.trimStart = UInt32(clamping: packet.trimStart.rawValue)
        self.trimEnd = UInt32(clamping: packet.trimEnd.rawValue)
        self.section = UInt32(clamping: packet.section)
        self.headerCount = UInt8(clamping: packet.headerCount)
        self.isIndependent = packet.isIndependent
    }

    /// The range of its contiguous first bytes.
    var position: Range<Int64> { self.offset..<self.offset + Int64(self.count) }

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

/// A packet with the positions of all its bytes.
struct PlacedPacket: Hashable, Sendable {
    var packet: RingPacket
    /// The parts after its first, for a packet that crosses Ogg pages.
    var parts: [Range<Int64>]

    /// Where its last byte ends.
    var end: Int64 { self.parts.last?.upperBound ?? self.packet.position.upperBound }
}

/// Consecutive packets, with the bytes that hold them.
package struct StreamPackets: Sendable {
    /// The bytes from the end of the previous packets to the end of the last of ``placed``.
    let bytes: ByteMemory
    /// The offset of these bytes in the station's stream.
    let offset: Int64
    /// The packets, at least one.
    let placed: [PlacedPacket]

    /// The packets as the parser found them, with the station's time as their start; contiguous
    /// packets are not copied.
    package var packets: [AudioPacket] {
        self.placed.map { placed in
            let first = self.piece(placed.packet.position)
            guard !placed.parts.isEmpty else { return placed.packet.packet(first) }
            let rest = placed.parts.flatMap { self.piece($0).array }
            return placed.packet.packet(ByteMemory(first.array + rest))
        }
    }

    /// When the last of them starts, on the station's time line.
    var lastTime: Duration { self.placed.last?.packet.time ?? .zero }

    /// The packets that start before a time of the station; `nil` if there are none.
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

/// The packets of a ring's kept bytes, in their order, numbered over all connections.
struct RingPackets: Sendable {
    /// The number of the first kept packet.
    private(set) var first: Int64 = 0
    private var packets: [RingPacket] = []
    /// The later parts of packets that cross Ogg pages, by their numbers.
    private var parts: [Int64: [Range<Int64>]] = [:]

    var count: Int { self.packets.count }
    /// The number of the next packet.
    var end: Int64 { self.first + Int64(self.packets.count) }

    /// The packet with a number from ``first`` to before ``end``.
    subscript(number: Int64) -> RingPacket { self.packets[Int(number - self.first)] }

    /// The packets with numbers from ``first`` to before ``end``.
    func placed(_ numbers: Range<Int64>) -> [PlacedPacket] {
        numbers.map { PlacedPacket(packet: self[$0], parts: self.parts[$0] ?? []) }
    }

    /// Where the last byte of a packet ends.
    func end(of number: Int64) -> Int64 {
        self.parts[number]?.last?.upperBound ?? self[number].position.upperBound
    }

    /// Appends a packet.
    ///
    /// - Parameters:
    ///   - packet: a packet no earlier in the stream than the last.
    ///   - parts: the packet's parts after the first.
    mutating func append(_ packet: RingPacket, parts: [Range<Int64>]) {
        if !parts.isEmpty { self.parts[self.end] = parts }
        self.packets.append(packet)
    }

    /// The number of the first packet that begins at or behind an offset; ``end`` if there is none.
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
