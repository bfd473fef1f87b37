// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio

/// Compares the times of packets with how much of them was written: where packets are missing, time has passed that
/// nothing was written for.
///
/// The times count from the first packet that is heard, and anew wherever the packets begin anew: in another section of
/// a chained stream, behind another connection.
struct PacketClock: Sendable {
    /// Less is the rounding of a container's clock.
    private static let tolerance = 0.02

    /// The first sample that was heard, by the packets' time, and how much was written since, in seconds.
    private var origin: SampleCount?
    private var written = 0.0

    /// The packets that follow have times of their own.
    mutating func restart() {
        self = PacketClock()
    }

    /// The packet that is written next.
    ///
    /// - Parameters:
    ///   - packet: with its trims.
    ///   - sampleRate: of its format.
    /// - Returns: how much time has passed that was not written, by this packet; `nil` for none. It is less than zero
    ///   where more was written than the times allow for.
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
