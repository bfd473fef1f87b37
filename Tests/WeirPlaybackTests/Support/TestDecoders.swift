// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
import WeirPlayback

/// Decodes every codec into silence of the right length; the first byte 0xEE in a payload's body is damage.
struct SilentDecoders: AudioDecoderFactory {
    /// How many samples of the format make a frame of silence: a day is quiet enough with few.
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

/// Finds every packet damaged.
struct RefusingDecoders: AudioDecoderFactory {
    func decoder(for format: AudioFormat) throws(AudioError) -> (any AudioDecoder)? { Decoder() }

    private final class Decoder: AudioDecoder {
        func decode(_ packet: AudioPacket) throws(AudioError) -> PCMBuffer? {
            throw AudioError(.badPacket, "It is damaged.")
        }

        func reset() {}
    }
}

/// Decodes uncompressed sound, but knows none of some sample rate.
struct FussyDecoders: AudioDecoderFactory {
    var unknownRate = 4000

    func decoder(for format: AudioFormat) throws(AudioError) -> (any AudioDecoder)? {
        if format.sampleRate == self.unknownRate { return nil }
        return try PCMDecoderFactory().decoder(for: format)
    }
}
