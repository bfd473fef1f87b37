// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

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

    /// The packet with its bytes; it starts where the station's time says, over all connections.
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

    /// The packet of a number, with its bytes.
    ///
    /// - Parameters:
    ///   - number: from ``first`` to before ``end``.
    ///   - bytes: of the stream; without a copy if the packet lies in a row.
    ///   - start: where the first of them lies.
    /// - Returns: the packet as the parser gave it.
    func packet(_ number: Int64, in bytes: ByteMemory, from start: Int64) -> AudioPacket {
        func piece(_ part: Range<Int64>) -> ByteMemory {
            bytes[Int(part.lowerBound - start)..<Int(part.upperBound - start)]
        }
        let packet = self[number]
        guard let parts = self.parts[number] else { return packet.packet(piece(packet.place)) }
        return packet.packet(ByteMemory(([packet.place] + parts).flatMap { piece($0).array }))
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
