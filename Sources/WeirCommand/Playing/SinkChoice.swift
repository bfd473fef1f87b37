// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirPlayer

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

extension SinkChoice {
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
    /// - Throws: ``CommandError`` with `usage` where the platform has none of this kind.
    func sink(device: String?, isReplacing: Bool = false) throws -> any AudioSink {
        switch self {
        case .null: return NullSink()
        case .wav(let path): return WAVFileSink(path: path, isReplacing: isReplacing)
        case .standardOutput: return RawSink.standardOutput()
        case .alsa:
            #if os(Linux)
            return ALSASink(device: device ?? "default")
            #else
            throw Self.notHere("ALSA", "device")
            #endif
        case .device:
            #if canImport(AudioToolbox) && canImport(AVFAudio)
            return AudioEngineSink()
            #else
            throw Self.notHere("the device of an Apple platform", "alsa")
            #endif
        }
    }

    private static func notHere(_ name: String, _ other: String) -> CommandError {
        CommandError.usage(
            "Sound was to go to \(name), which this system does not have; let it go elsewhere with --sink \(other), "
                + "--sink null, --sink wav:FILE or --sink -."
        )
    }
}
