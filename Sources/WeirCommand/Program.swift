// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// The program's start: reads the command line, runs the command, and ends with the status that
/// `weir --help` lists.
@main
enum Program {
    static func main() async {
        Program.openStandardDescriptors()
        // A write to a pipe without a reader fails with an error, whether or not a network library is loaded.
        signal(SIGPIPE, SIG_IGN)
        Program.keepFreedMemory()
        OpenFileLimit.raise()
        var status = await Program.run(Array(CommandLine.arguments.dropFirst()))
        #if os(macOS) || !canImport(Darwin)
        RunningProgram.endAll()
        #endif
        // A list that was cut is no list.
        if status == ExitStatus.done.rawValue, let failure = Output.failure {
            Output.note("weir: \(failure.ownerSentence)")
            status = ExitStatus(for: failure).rawValue
        }
        exit(status)
    }

    /// Runs the command of a command line.
    ///
    /// - Returns: the status; an error, or the help that was asked for, was printed.
    private static func run(_ arguments: [String]) async -> Int32 {
        var path = CommandPath()
        do {
            path = try CommandPath(arguments)
            let paths = await SourcePaths(arguments)?.proposals() ?? []
            var command = try Program.parse(arguments, proposing: paths)
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            return ExitStatus.done.rawValue
        } catch {
            return Program.end(with: error, of: path, arguments)
        }
    }

    /// Reads a command line; for that of a shell that completes a word, there are these paths in sources.
    private static func parse(
        _ arguments: [String],
        proposing paths: [String]
    ) throws -> any ParsableCommand {
        try Completions.$sourcePaths.withValue(paths) {
            try WeirCommand.parseAsRoot(arguments)
        }
    }

    /// Prints the error, or the help that was asked for, and gives the status.
    ///
    /// With `--json` the error is an object among the others, too.
    private static func end(
        with error: any Error,
        of path: CommandPath,
        _ arguments: [String]
    ) -> Int32 {
        if let code = error as? ExitCode { return code.rawValue }
        // `weir get … -o - | head`: the reader of the pipe has what it wanted.
        if error is ReaderHasLeft { return ExitStatus.done.rawValue }
        let parserCode = WeirCommand.exitCode(for: error)
        if parserCode == .success {
            let text = WeirCommand.fullMessage(for: error)
            let script = CompletionScript(text, for: arguments)
            Output.print(script?.text ?? HelpText(text).ownOptionsFirst)
            return ExitStatus.done.rawValue
        }
        let isJSON = arguments.prefix { $0 != "--" }.contains("--json")
        if parserCode == .validationFailure {
            let text = path.usage(error)
            if isJSON { Output.failed(String(text.prefix { !$0.isNewline }), .usage) }
            Output.note(text)
            return ExitStatus.usage.rawValue
        }
        let status = ExitStatus(for: error)
        let name = status == .usage ? path.name : "weir"
        if isJSON { Output.failed(error.ownerSentence, status) }
        if status != .interrupted || error is CommandError {
            Output.note("\(name): \(error.ownerSentence)")
        }
        return status.rawValue
    }
}

extension Program {
    /// Opens those of standard input, output and error that are closed, so that no file gets their numbers.
    ///
    /// In the direction that nothing uses: reading and writing fail as they would have.
    private static func openStandardDescriptors() {
        while true {
            // The system gives the lowest number that is free.
            let next = open("/dev/null", O_RDONLY)
            guard next >= 0 else { return }
            guard next <= STDERR_FILENO else {
                close(next)
                return
            }
            guard next == STDIN_FILENO else { continue }
            let other = open("/dev/null", O_WRONLY)
            guard other >= 0 else { continue }
            dup2(other, STDIN_FILENO)
            close(other)
        }
    }

    /// Has the allocator keep some freed memory for the next piece of media.
    ///
    /// The C library of Linux gives more than 128 KiB at the end of its memory back to the system at once, and gets them
    /// again, page by page, for the next piece: that took a third of the time that it takes to decrypt one. Elsewhere
    /// nothing is done.
    private static func keepFreedMemory() {
        #if os(Linux)
        // `malloc.h` is in no module of Swift's; the names and numbers are those of mallopt(3).
        let (trimThreshold, mapThreshold): (CInt, CInt) = (-1, -3)
        guard let address = dlsym(nil, "mallopt") else { return }
        let mallopt = unsafeBitCast(address, to: (@convention(c) (CInt, CInt) -> CInt).self)
        _ = mallopt(trimThreshold, 2 << 20)
        _ = mallopt(mapThreshold, 1 << 20)
        #endif
    }
}
