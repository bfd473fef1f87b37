// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension AudioFormat {
    /// How many samples a decoder needs before a packet of MPEG audio to decode the packet
    /// correctly.
    ///
    /// The main data of a layer III frame begin up to 511 bytes back in MPEG-1, and up to 255 in
    /// MPEG-2. See ISO 11172-3 §2.4.2.7 and 13818-3 §2.4.2.7. These are bytes of main data, without
    /// headers. The smallest frames at the sample rate give the number of frames: 9 in MPEG-1 at
    /// most. MPEG-2 has frames of 8 kbit/s, with little room after header, checksum and side
    /// information. At 22.05 kHz in stereo the room is 3 bytes, so that 85 frames are needed. The
    /// result has one more frame, which overlaps with the first heard frame.
    package var reservoirPreroll: SampleCount {
        let least = 10 * 1152
        guard self.codec == .mpegLayer(3), let samples = self.samplesPerPacket, samples > 0,
            self.sampleRate > 0
        else { return SampleCount(Int64(least)) }
        let isMPEG1 = samples == 1152
        let isMono = self.channelCount == 1
        let size = samples / 8 * (isMPEG1 ? 32_000 : 8000) / self.sampleRate
        let sideInfo = isMPEG1 ? (isMono ? 17 : 32) : (isMono ? 9 : 17)
        let mainData = max(1, size - MPEGFrameHeader.byteCount - 2 - sideInfo)
        let reach = isMPEG1 ? 511 : 255
        let frames = (reach + mainData - 1) / mainData + 1
        return SampleCount(Int64(max(least, frames * samples)))
    }
}
