// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirPlayer

/// Decodes uncompressed sound, but knows none of some sample rate.
struct FussyDecoders: DecoderMaker {
    var unknownRate = 4000

    func decoder(for format: AudioFormat) throws(DecoderError) -> (any AudioDecoder)? {
        if format.sampleRate == self.unknownRate { return nil }
        return try PCMDecoderMaker().decoder(for: format)
    }
}
