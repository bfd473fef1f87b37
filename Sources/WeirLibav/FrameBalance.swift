// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import WeirPlayback

/// Makes a late decoder return as many frames for each packet as the packet has.
///
/// FFmpeg's own Opus decoder keeps half a millisecond of speech (SILK) in a filter, and returns it when music
/// follows. The balance puts silence before a packet that is short, in place of the missing frames. Later surplus
/// frames wait for the next packet. Nothing is dropped, and the sound has no break.
struct FrameBalance {
    /// Frames that belong to the next packet.
    private var surplus: [Float] = []
    /// If the two counts differ by more than this number, the packet's duration must be wrong, and the decoder's count
    /// is used.
    private static let mostFrames = 960

    /// Cuts or fills decoded sound to the expected number of frames.
    ///
    /// - Parameters:
    ///   - buffer: the decoder's output for a packet.
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

    /// Forgets the surplus frames.
    mutating func reset() {
        self.surplus = []
    }
}
#endif
