// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

#if canImport(AudioToolbox) && canImport(AVFAudio)
import AudioToolbox
import WeirPlayback

/// Says what a converter's status means.
enum ConverterStatus {
    /// Why there is no converter.
    static func refusal(_ status: OSStatus, _ description: CodecDescription) -> AudioError {
        let codec = description.name
        return switch status {
        case kAudioConverterErr_FormatNotSupported, kAudioConverterErr_OperationNotSupported:
            AudioError(
                .unsupported,
                """
                This system does not decode \(codec) at \(description.sampleRate) Hz with \
                \(description.channelCount) channels (\(FourLetters.name(status)))
                """
            )
        default:
            AudioError(
                .badConfiguration,
                "Setting up the system's decoder of \(codec) failed (\(FourLetters.name(status)))"
            )
        }
    }

    /// Why a packet was not decoded; most often it is damaged, and the next may be sound.
    static func failure(_ status: OSStatus, packet: Int) -> AudioError {
        switch status {
        case kAudioCodecStateError, kAudioCodecIllegalOperationError,
            kAudioConverterErr_UnspecifiedError:
            AudioError(
                .failed,
                "The system's decoder has failed (\(FourLetters.name(status)))"
            )
        default:
            AudioError(
                .badPacket,
                "A packet of \(packet) bytes could not be decoded (\(FourLetters.name(status)))"
            )
        }
    }
}
#endif
