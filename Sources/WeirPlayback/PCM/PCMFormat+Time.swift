// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

extension PCMFormat {
    /// How long a number of frames sounds, to the attosecond below.
    ///
    /// - Parameter frameCount: from 0.
    /// - Returns: the time at this format's rate.
    package func duration(ofFrames frameCount: Int) -> Duration {
        .seconds(frameCount) / max(self.sampleRate, 1)
    }
}

extension PCMBuffer {
    /// How long it sounds, to the attosecond below.
    package var duration: Duration { self.format.duration(ofFrames: self.frameCount) }
}
