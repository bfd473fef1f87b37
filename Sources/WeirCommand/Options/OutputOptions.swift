// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirSource

/// In which form every command speaks.
struct FormOptions: ParsableArguments {
    @Flag(help: "Print JSON, one object a line.")
    var json = false

    @Flag(name: .shortAndLong, help: "Say nothing but errors and what was asked for.")
    var quiet = false
}

/// The options of a command that says how it speaks.
protocol Speaking {
    var form: FormOptions { get }
}

extension Speaking {
    var json: Bool { self.form.json }

    var quiet: Bool { self.form.quiet }

    /// Writes a warning, unless all is quiet.
    var warn: @Sendable (String) -> Void {
        let isQuiet = self.quiet
        return { if !isQuiet { Output.note($0) } }
    }
}

/// How a command speaks that asks no origin.
struct SpeechOptions: ParsableArguments, Speaking {
    @OptionGroup var form: FormOptions

    /// Taken, since scripts give it to all commands; there is nothing more to say.
    @Flag(name: .shortAndLong, help: .hidden)
    var verbose = false
}

/// How much is said, and in which form, by a command that asks origins.
struct OutputOptions: ParsableArguments, Speaking {
    @OptionGroup var form: FormOptions

    @Flag(name: .shortAndLong, help: "Say more: a line for every request.")
    var verbose = false

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
