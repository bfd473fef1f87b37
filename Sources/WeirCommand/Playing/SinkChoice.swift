// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirPlayer

/// The output of `weir play`: `--sink alsa|null|wav:FILE|-|list`.
enum SinkChoice: Hashable, Sendable, DescribedArgument {
    static let forms =
        "alsa, null, wav:FILE, - for standard output, or list, which shows the available outputs"

    /// A sound card through ALSA.
    case alsa
    /// The device of an Apple platform.
    case device
    /// No output, in real time.
    case null
    /// A WAV file, as fast as the bytes arrive.
    case wav(String)
    /// Raw samples on standard output.
    case standardOutput
    /// No output; the command lists the possible sinks.
    case list

    /// Whether the sink is a file, which accepts sound as fast as it arrives.
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
    /// The default output.
    static var usual: SinkChoice {
        #if canImport(Darwin)
        .device
        #else
        .alsa
        #endif
    }

    /// The name of the output in messages.
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
    /// - Throws: ``CommandError`` with `usage` if the platform has no sink of this kind.
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

    private static func notHere(_ name: String, _ other: String) -> CommandError {
        CommandError.usage(
            "This system does not have \(name); choose another output with --sink \(other), --sink null, --sink"
                + " wav:FILE or --sink -."
        )
    }
}

/// A possible output, as `--sink list` shows it.
struct ListedSink: Hashable, Sendable {
    /// The value for `--sink`.
    let sink: String
    /// The value for `--device`; `nil` if the output needs none.
    var device: String?
    let description: String

    /// All possible outputs, with ALSA's devices after `alsa`.
    ///
    /// - Throws: `AudioError` if ALSA's library is missing.
    static func all() throws -> [ListedSink] {
        var sinks = [
            ListedSink(sink: "null", description: "no output, in real time"),
            ListedSink(sink: "wav:FILE", description: "a WAV file, as fast as the bytes arrive"),
            ListedSink(sink: "-", description: "raw samples on standard output"),
        ]
        #if os(Linux)
        let named = "the device that ALSA calls default, or with --device one of these:"
        sinks.append(ListedSink(sink: "alsa", description: named))
        sinks += try ALSADeviceName.all().map {
            ListedSink(sink: "alsa", device: $0.name, description: $0.description.printableLine)
        }
        #else
        sinks.append(ListedSink(sink: "device", description: "the device of this system"))
        #endif
        return sinks
    }

    /// The line for a person.
    var line: String {
        guard let device else { return "\(self.sink.fitted(toCells: 12))\(self.description)" }
        return "  \(device.fitted(toCells: max(30, device.cellCount)))  \(self.description)"
    }

    var json: JSON {
        [
            "event": "availableSink", "sink": self.sink, "device": self.device,
            "description": self.description,
        ]
    }
}
