// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// The entry point: parses the command line, runs the command, and exits with its status.
///
/// `weir --help` lists the statuses.
@main
enum Program {
    static func main() async {
        Program.openStandardDescriptors()
        // A write to a pipe without a reader must fail with an error, even if no library ignores
        // the signal.
        signal(SIGPIPE, SIG_IGN)
        FreedMemory.keepSome()
        OpenFileLimit.raise()
        var status = await Program.run(Array(CommandLine.arguments.dropFirst()))
        #if os(macOS) || !canImport(Darwin)
        RunningProgram.endAll()
        #endif
        // A truncated result is a failure.
        if status == ExitStatus.done.rawValue, let failure = Output.failure {
            Output.note("weir: \(failure.ownerSentence)")
            status = ExitStatus(for: failure).rawValue
        }
        exit(status)
    }

    /// Runs the command of a command line.
    ///
    /// - Returns: the status, after it has printed an error or the requested help.
    private static func run(_ arguments: [String]) async -> Int32 {
        // The parser would take two thirds of the instructions.
        if arguments == ["--version"] {
            Output.print(WeirCommand.version)
            return ExitStatus.done.rawValue
        }
        var path = CommandPath()
        do {
            path = try CommandPath(arguments)
            if let command = Program.plainCommand(arguments) {
                try await Program.perform(command)
                return ExitStatus.done.rawValue
            }
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

    /// Runs a command on the global executor, instead of on the main queue.
    @concurrent
    private static func perform(_ command: any AsyncParsableCommand) async throws {
        var command = command
        try await command.run()
    }

    /// The command of a command line that needs no parser; `nil` for any other.
    private static func plainCommand(_ arguments: [String]) -> (any AsyncParsableCommand)? {
        switch arguments.first {
        case "serve": ServeCommand(plain: arguments)
        case "get": GetCommand(plain: arguments)
        default: nil
        }
    }

    /// Parses a command line; `paths` are the paths in sources for a shell's completion.
    private static func parse(
        _ arguments: [String],
        proposing paths: [String]
    ) throws -> any ParsableCommand {
        try Completions.$sourcePaths.withValue(paths) {
            try WeirCommand.parseAsRoot(arguments)
        }
    }

    /// Prints the error or the requested help, and returns the status.
    ///
    /// With `--json`, an error is also printed as an object.
    private static func end(
        with error: any Error,
        of path: CommandPath,
        _ arguments: [String]
    ) -> Int32 {
        if let code = error as? ExitCode { return code.rawValue }
        // `weir get … -o - | head`: the reader of the pipe has closed it.
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
    /// Opens standard input, output and error if they are closed, so that no other file gets their
    /// numbers.
    ///
    /// Each descriptor is opened in its unused direction, such as standard input for writing. So
    /// reading and writing fail as before.
    private static func openStandardDescriptors() {
        while true {
            // The system returns the lowest free number.
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
}
