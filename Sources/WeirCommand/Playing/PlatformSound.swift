// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirPlayback

#if LinuxAudio
import WeirALSA
import WeirLibav
#endif
#if canImport(AudioToolbox) && canImport(AVFAudio)
import WeirAudioToolbox
#endif

/// What of the platform's decoders and devices was built in.
enum PlatformSound {
    /// Who makes sound of packets, the first that knows a codec being taken.
    static var decoders: [any AudioDecoderFactory] {
        var makers: [any AudioDecoderFactory] = [PCMDecoderFactory()]
        #if LinuxAudio
        makers.append(LibavDecoderFactory())
        #endif
        #if canImport(AudioToolbox) && canImport(AVFAudio)
        makers.append(AudioToolboxDecoderFactory())
        #endif
        return makers
    }

    /// Where sound goes unless the user says otherwise.
    static var usualSink: SinkChoice {
        #if canImport(Darwin)
        .device
        #else
        .alsa
        #endif
    }

    /// A place for the sound.
    ///
    /// - Parameters:
    ///   - choice: which.
    ///   - device: of ALSA; `nil` for the default one.
    ///   - isReplacing: whether a file that is there is replaced.
    /// - Returns: a sink that nothing was written to.
    /// - Throws: ``CommandError`` with `usage` where it was not built in.
    static func sink(
        _ choice: SinkChoice,
        device: String?,
        isReplacing: Bool = false
    ) throws -> any AudioSink {
        switch choice {
        case .null: return NullSink()
        case .wav(let path): return WAVFileSink(path: path, isReplacing: isReplacing)
        case .standardOutput: return RawSink.standardOutput()
        case .alsa:
            #if LinuxAudio
            return ALSASink(device: device ?? "default")
            #else
            throw Self.notBuilt("ALSA")
            #endif
        case .device:
            #if canImport(AudioToolbox) && canImport(AVFAudio)
            return AudioEngineSink()
            #else
            throw Self.notBuilt("the device")
            #endif
        }
    }

    private static func notBuilt(_ name: String) -> CommandError {
        let build = "build it with 'make', or 'swift build -c release --traits LinuxAudio'"
        return CommandError(
            .usage,
            "Sound was to go to \(name), and this weir was built without it; \(build), or let it go elsewhere with --sink"
                + " null, --sink wav:FILE or --sink -."
        )
    }
}
