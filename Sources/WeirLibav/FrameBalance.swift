// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import WeirPlayback

/// Makes a decoder that is late give each packet as many frames as it has.
///
/// FFmpeg's own decoder of Opus keeps half a millisecond of speech (SILK) back in a filter, and gives it back where
/// music follows. What is kept back is put in front as silence, once; what comes back later waits for the next
/// packet. Nothing is dropped, and the sound stays in one piece.
struct FrameBalance {
    /// Frames that belong to the next packet.
    private var surplus: [Float] = []
    /// More than that is no lateness: the packet's duration is wrong, and the decoder is believed.
    private static let mostFrames = 960

    /// Cuts what was decoded to what is expected.
    ///
    /// - Parameters:
    ///   - buffer: what the decoder gave for a packet.
    ///   - frameCount: how many frames the packet has at the buffer's rate.
    mutating func settle(_ buffer: inout PCMBuffer, expecting frameCount: Int) {
        if self.surplus.isEmpty, buffer.frameCount == frameCount { return }
        let channelCount = buffer.format.channelCount
        if self.surplus.count % channelCount == 0 { buffer.samples = self.surplus + buffer.samples }
        self.surplus = []
        let missing = frameCount - buffer.frameCount
        if missing > 0, missing <= Self.mostFrames {
            let silence = [Float](repeating: 0, count: missing * channelCount)
            buffer.samples = silence + buffer.samples
        } else if missing < 0, missing >= -Self.mostFrames {
            self.surplus = Array(buffer.samples.suffix(-missing * channelCount))
            buffer.samples.removeLast(-missing * channelCount)
        }
    }

    /// Forgets what waits.
    mutating func reset() {
        self.surplus = []
    }
}
#endif
