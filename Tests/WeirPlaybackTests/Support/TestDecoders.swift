// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirPlayback

/// Decodes every codec into silence of the right length; a payload whose body begins with 0xEE is damaged.
struct SilentDecoders: AudioDecoderFactory {
    /// Divides the sample rate and the length of each frame, so that a day of silence needs few samples.
    var divisor = 1

    func decoder(for format: AudioFormat) throws(AudioError) -> (any AudioDecoder)? {
        Decoder(
            PCMFormat(
                sampleRate: format.sampleRate / self.divisor,
                channelCount: format.channelCount ?? 1
            ),
            divisor: self.divisor
        )
    }

    private final class Decoder: AudioDecoder {
        private let format: PCMFormat

        private let divisor: Int

        init(_ format: PCMFormat, divisor: Int) {
            self.format = format
            self.divisor = divisor
        }

        func decode(_ packet: AudioPacket) throws(AudioError) -> PCMBuffer? {
            if packet.payload.count > 50, packet.payload[50] == 0xEE {
                throw AudioError(.badPacket, "It is damaged.")
            }
            return .silence(self.format, frameCount: Int(packet.duration.rawValue) / self.divisor)
        }

        func reset() {}
    }
}

/// Rejects every packet as damaged.
struct RefusingDecoders: AudioDecoderFactory {
    func decoder(for format: AudioFormat) throws(AudioError) -> (any AudioDecoder)? { Decoder() }

    private final class Decoder: AudioDecoder {
        func decode(_ packet: AudioPacket) throws(AudioError) -> PCMBuffer? {
            throw AudioError(.badPacket, "It is damaged.")
        }

        func reset() {}
    }
}

/// Decodes uncompressed sound, except for one sample rate, for which it has no decoder.
struct FussyDecoders: AudioDecoderFactory {
    var unknownRate = 4000

    func decoder(for format: AudioFormat) throws(AudioError) -> (any AudioDecoder)? {
        if format.sampleRate == self.unknownRate { return nil }
        return try PCMDecoderFactory().decoder(for: format)
    }
}
