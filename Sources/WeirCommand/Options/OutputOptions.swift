// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirSource

/// In which form a command speaks.
struct SpeechOptions: ParsableArguments {
    @Flag(help: "Print JSON, one object a line.")
    var json = false

    @Flag(name: .shortAndLong, help: "Say nothing but errors and what was asked for.")
    var quiet = false

    /// Writes a warning, unless all is quiet.
    var warn: @Sendable (String) -> Void {
        let isQuiet = self.quiet
        return { if !isQuiet { Output.note($0) } }
    }
}

/// How much is said, and in which form, by a command that asks origins.
struct OutputOptions: ParsableArguments {
    @OptionGroup var speech: SpeechOptions

    @Flag(name: .shortAndLong, help: "Say more: a line for every request.")
    var verbose = false

    var json: Bool { self.speech.json }

    var quiet: Bool { self.speech.quiet }

    var warn: @Sendable (String) -> Void { self.speech.warn }

    /// Writes the events of a library as lines, as far as they are wanted.
    func observer(
        tellsRetries: Bool,
        note: @escaping @Sendable (String) -> Void
    ) -> SourceObserver {
        let (isVerbose, isQuiet) = (self.verbose, self.quiet)
        return { event in
            let line = event.line(
                isVerbose: isVerbose,
                isQuiet: isQuiet,
                tellsRetries: tellsRetries
            )
            if let line { note(line) }
        }
    }
}
