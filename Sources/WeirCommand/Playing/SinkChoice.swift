// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

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
