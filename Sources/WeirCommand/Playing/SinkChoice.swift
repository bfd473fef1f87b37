// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirPlayback

/// Where `weir play` lets the sound go: `--sink alsa|null|wav:FILE|-`.
enum SinkChoice: Hashable, Sendable, ExpressibleByArgument {
    /// A sound card through ALSA.
    case alsa
    /// The device of an Apple platform.
    case device
    /// Nowhere, as fast as it would sound.
    case null
    /// A WAV file, as fast as the bytes come.
    case wav(String)
    /// Raw samples on standard output.
    case standardOutput

    /// Whether it takes sound as fast as it comes, and keeps it.
    var isFile: Bool {
        if case .wav = self { return true }
        return false
    }

    init?(argument: String) {
        switch argument {
        case "alsa": self = .alsa
        case "device": self = .device
        case "null": self = .null
        case "-": self = .standardOutput
        default:
            guard argument.hasPrefix("wav:"), argument.utf8.count > 4 else { return nil }
            self = .wav(String(argument.dropFirst(4)))
        }
    }
}

#if LinuxAudio
import WeirALSA
import WeirLibav
#endif
#if canImport(AudioToolbox) && canImport(AVFAudio)
import WeirAudioToolbox
#endif

/// The decoders and devices of the platform that were built in.
extension SinkChoice {
    /// The decoders of packets; the first that knows a codec is taken.
    static var decoders: [any AudioDecoderFactory] {
        var factories: [any AudioDecoderFactory] = [PCMDecoderFactory()]
        #if LinuxAudio
        factories.append(LibavDecoderFactory())
        #endif
        #if canImport(AudioToolbox) && canImport(AVFAudio)
        factories.append(AudioToolboxDecoderFactory())
        #endif
        return factories
    }

    /// Where sound goes unless the user says otherwise.
    static var usual: SinkChoice {
        #if canImport(Darwin)
        .device
        #else
        .alsa
        #endif
    }

    /// Makes the sink.
    ///
    /// - Throws: ``CommandError`` with `usage` where it was not built in.
    func sink(device: String?, isReplacing: Bool = false) throws -> any AudioSink {
        switch self {
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
        return CommandError.usage(
            "Sound was to go to \(name), and this weir was built without it; \(build), or let it go elsewhere with --sink"
                + " null, --sink wav:FILE or --sink -."
        )
    }
}
