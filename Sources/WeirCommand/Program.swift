// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// The program's start: reads the command line, runs the command, and ends with the status that
/// `weir --help` lists.
@main
enum Program {
    static func main() async {
        StandardDescriptors.fill()
        FreedMemory.keep()
        OpenFileLimit.raise()
        var status: Int32
        do {
            var command = try WeirCommand.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
            status = ExitStatus.done.rawValue
        } catch {
            status = Program.end(with: error)
        }
        RunningProgram.endAll()
        // A list that was cut is no list.
        if status == ExitStatus.done.rawValue, let failure = Output.failure {
            Output.note("weir: \(failure)")
            status = ExitStatus(for: failure).rawValue
        }
        exit(status)
    }

    /// Says what went wrong, or what was asked for, and tells the status.
    private static func end(with error: any Error) -> Int32 {
        if let code = error as? ExitCode { return code.rawValue }
        let parserCode = WeirCommand.exitCode(for: error)
        if parserCode == .success {
            Output.print(WeirCommand.fullMessage(for: error))
            return ExitStatus.done.rawValue
        }
        if parserCode == .validationFailure {
            Output.note(WeirCommand.fullMessage(for: error))
            return ExitStatus.usage.rawValue
        }
        let status = ExitStatus(for: error)
        if status != .interrupted || error is CommandError { Output.note("weir: \(error)") }
        return status.rawValue
    }
}
