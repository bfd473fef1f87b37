// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirPlayer

/// Where `weir play` lets the sound go: `--sink alsa|null|wav:FILE|-|list`.
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
    /// Nowhere: what there is to choose from is listed.
    case list

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
        case "list": self = .list
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

    /// How it is called where it is told.
    func name(device: String?) -> String {
        switch self {
        case .alsa: "ALSA's device \(device ?? "default")"
        case .device: "this system's device"
        case .null, .list: "nowhere (null)"
        case .wav(let path): path
        case .standardOutput: "standard output"
        }
    }

    /// Makes the sink.
    ///
    /// - Throws: ``CommandError`` with `usage` where the platform has none of this kind.
    func sink(device: String?, isReplacing: Bool = false) throws -> any AudioSink {
        switch self {
        case .null, .list: return NullSink()
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

    /// What sound can go to, a line each, ALSA's devices with the names that `--device` takes.
    ///
    /// - Throws: `AudioError` where ALSA's library is not there.
    static func listed() throws -> [String] {
        var lines = [
            "null        nowhere, as fast as it would sound",
            "wav:FILE    a WAV file, as fast as the bytes come",
            "-           raw samples on standard output",
        ]
        #if os(Linux)
        lines.append(
            "alsa        the device that ALSA calls default, or with --device one of these:"
        )
        for device in try ALSADeviceName.all() {
            let name = device.name.fitted(toCells: max(30, device.name.cellCount))
            lines.append("  \(name)  \(device.description.printableLine)")
        }
        #else
        lines.append("device      the device of this system")
        #endif
        return lines
    }

    private static func notHere(_ name: String, _ other: String) -> CommandError {
        CommandError.usage(
            "Sound was to go to \(name), which this system does not have; let it go elsewhere with --sink \(other), "
                + "--sink null, --sink wav:FILE or --sink -."
        )
    }
}
