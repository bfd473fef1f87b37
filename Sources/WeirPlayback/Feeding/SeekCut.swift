// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

internal import WeirAudio

/// Cuts packets so that the first sample that is heard is the one that was asked for.
struct SeekCut {
    /// The first sample to be heard, on the packets' time line.
    let target: SampleCount

    /// Takes from a packet what lies before the target.
    ///
    /// - Parameter packet: the next; cut, or with nothing left to be heard.
    /// - Returns: where the first heard sample lies; `nil` while there is none.
    func cut(_ packet: inout AudioPacket) -> SampleCount? {
        let first = packet.start + packet.trimStart
        let end = packet.start + packet.duration - packet.trimEnd
        if end <= self.target || end <= first {
            packet.trimStart = max(0, packet.duration - packet.trimEnd)
            return nil
        }
        guard first < self.target else { return first }
        packet.trimStart = self.target - packet.start
        return self.target
    }
}
