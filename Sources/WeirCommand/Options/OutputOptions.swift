// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import WeirSource

/// The form of a command's output.
struct FormOptions: ParsableArguments {
    @Flag(help: "Print JSON, one object per line.")
    var json = false

    @Flag(name: .shortAndLong, help: "Print only errors and the requested output.")
    var quiet = false
}

/// A command that has options for its output.
protocol Speaking {
    var form: FormOptions { get }
}

extension Speaking {
    var json: Bool { self.form.json }

    var quiet: Bool { self.form.quiet }

    /// Writes a warning to standard error, except with `--quiet`.
    var warn: @Sendable (String) -> Void {
        let isQuiet = self.quiet
        return { if !isQuiet { Output.note($0) } }
    }
}

/// The output options of a command that sends no requests to origins.
struct SpeechOptions: ParsableArguments, Speaking {
    @OptionGroup var form: FormOptions

    /// Accepted without effect, since scripts pass it to all commands.
    @Flag(name: .shortAndLong, help: .hidden)
    var verbose = false
}

/// The output options of a command that sends requests to origins.
struct OutputOptions: ParsableArguments, Speaking {
    @OptionGroup var form: FormOptions

    @Flag(name: .shortAndLong, help: "Print more: a line for every request.")
    var verbose = false

    /// An observer that writes a line for each library event that these options show.
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
