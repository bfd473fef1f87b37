// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Compares packet times with the written sound, and so finds missing packets.
///
/// When packets are missing, more time has passed than sound was written. The times count from the first heard
/// packet. They start again wherever the packet times start again: in another section of a chained stream, and
/// after another connection.
struct PacketClock: Sendable {
    /// Smaller differences are rounding in a container's clock, in seconds.
    private static let tolerance = 0.02

    /// The first heard sample in the packets' time, and how much was written since, in seconds.
    private var origin: SampleCount?
    private var written = 0.0

    /// The following packets have times of their own.
    mutating func restart() {
        self = PacketClock()
    }

    /// The gap before the next packet.
    ///
    /// - Parameters:
    ///   - packet: the packet with its trims.
    ///   - sampleRate: the rate of its format.
    /// - Returns: the time that has passed without written sound before this packet; `nil` for no gap. It is
    ///   negative when more was written than the times allow for.
    mutating func gap(before packet: AudioPacket, at sampleRate: Int) -> Duration? {
        let first = packet.start + packet.trimStart
        guard let origin else {
            self.origin = first
            return nil
        }
        let passed = (first - origin).seconds(sampleRate: max(1, sampleRate))
        let gap = passed - self.written
        guard abs(gap) > Self.tolerance, abs(gap) < 0x1p40 else { return nil }
        self.written = passed
        return .seconds(gap)
    }

    /// Sound was written.
    mutating func wrote(_ buffer: PCMBuffer) { self.written += buffer.seconds }
}
