// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What has come of a stream of fragments since its front.
struct MP4Tally: Hashable, Sendable {
    /// Samples that are heard.
    var heard: Int64 = 0
    /// All samples.
    var decoded: Int64 = 0
    /// Bytes of packets.
    var bytes: Int64 = 0

    /// Counts a packet; sums stay at the end of what 64 bits hold.
    mutating func add(_ packet: AudioPacket) {
        let heard = packet.duration - packet.trimStart - packet.trimEnd
        self.heard = (SampleCount(self.heard) + heard).rawValue
        self.decoded = (SampleCount(self.decoded) + packet.duration).rawValue
        self.bytes = (SampleCount(self.bytes) + SampleCount(Int64(packet.payload.count))).rawValue
    }
}
