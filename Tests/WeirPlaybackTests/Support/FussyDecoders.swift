// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirPlayback

/// Decodes uncompressed sound, but knows none of some sample rate.
struct FussyDecoders: AudioDecoderFactory {
    var unknownRate = 4000

    func decoder(for format: AudioFormat) throws(AudioError) -> (any AudioDecoder)? {
        if format.sampleRate == self.unknownRate { return nil }
        return try PCMDecoderFactory().decoder(for: format)
    }
}
