// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Packets on their way to the decoder: bounded in bytes, seconds and number, at any bit rate.
///
/// The queue is full when it reaches a limit. It stays full until it holds at most three quarters
/// of the bytes and packets, and two thirds of the seconds. So the source works in bursts and not
/// packet by packet.
struct PacketQueue: Sendable {
    private let limits: QueueLimits
    private var entries: [QueueEntry?] = []
    private var first = 0
    /// Samples per second of the incoming packets, and of the outgoing ones.
    private var incomingRate = 1
    private var outgoingRate = 1

    private(set) var byteCount = 0
    private(set) var packetCount = 0
    /// How many seconds of sound it holds.
    private(set) var seconds = 0.0
    /// The end of the last pushed packet, in seconds of its stream's time; `nil` before the first.
    private(set) var end: Double?
    /// Whether the feeder must wait.
    private(set) var isFull = false

    init(limits: QueueLimits = QueueLimits()) {
        self.limits = limits
    }

    /// Whether it holds no entry.
    var isEmpty: Bool { self.first == self.entries.count }

    /// The oldest entry.
    var next: QueueEntry? { self.isEmpty ? nil : self.entries[self.first] }

    /// Appends an entry, even when the queue is full: the feeder waits before it reads more from
    /// the source.
    mutating func push(_ entry: QueueEntry) {
        switch entry {
        case .format(let format): self.incomingRate = max(1, format.sampleRate)
        case .packet(let packet):
            self.packetCount += 1
            let seconds = Self.seconds(packet, self.incomingRate)
            self.seconds += seconds
            let start = packet.start + packet.trimStart
            self.end = start.seconds(sampleRate: self.incomingRate) + seconds
        default: break
        }
        self.byteCount += entry.byteCount
        self.entries.append(entry)
        if self.byteCount >= self.limits.byteCount || self.seconds >= self.limits.seconds
            || self.packetCount >= self.limits.packetCount
            || self.entries.count - self.first >= self.limits.packetCount * 2
        {
            self.isFull = true
        }
    }

    /// Whether it has reached half of a limit.
    var isHalfFull: Bool {
        self.isFull || self.seconds * 2 >= self.limits.seconds
            || self.byteCount * 2 >= self.limits.byteCount
            || self.packetCount * 2 >= self.limits.packetCount
    }

    /// Removes the end entry that was pushed last, because more entries follow after all.
    ///
    /// - Returns: whether it was still there.
    mutating func retractEnd() -> Bool {
        guard self.first < self.entries.count, case .end? = self.entries[self.entries.count - 1]
        else { return false }
        self.entries.removeLast()
        return true
    }

    /// Removes and returns the oldest entry.
    mutating func pop() -> QueueEntry? {
        guard self.first < self.entries.count, let entry = self.entries[self.first] else {
            return nil
        }
        self.entries[self.first] = nil
        self.first += 1
        self.byteCount -= entry.byteCount
        // The taken part is removed when it is the larger part, so an entry moves at most once on
        // average.
        if self.first > 64, self.first * 2 > self.entries.count {
            self.entries.removeFirst(self.first)
            self.first = 0
        }
        switch entry {
        case .format(let format): self.outgoingRate = max(1, format.sampleRate)
        case .packet(let packet):
            self.packetCount -= 1
            self.seconds -= Self.seconds(packet, self.outgoingRate)
            // Rounding errors would otherwise leave a remainder.
            if self.packetCount == 0 { self.seconds = 0 }
        default: break
        }
        if self.isFull, self.byteCount * 4 <= self.limits.byteCount * 3,
            self.seconds * 3 <= self.limits.seconds * 2,
            self.packetCount * 4 <= self.limits.packetCount * 3,
            self.entries.count - self.first <= self.limits.packetCount
        {
            self.isFull = false
        }
        return entry
    }

    /// The heard seconds of a packet, a day at most, so that damaged packets keep sums displayable.
    private static func seconds(_ packet: AudioPacket, _ rate: Int) -> Double {
        let heard = packet.duration - packet.trimStart - packet.trimEnd
        return min(max(0, heard.seconds(sampleRate: rate)), 86_400)
    }
}
