// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation

/// The program's start.
@main
enum Program {
    static func main() async {
        do {
            var command = try TestServersCommand.parseAsRoot()
            if var command = command as? any AsyncParsableCommand {
                try await command.run()
            } else {
                try command.run()
            }
        } catch {
            Program.end(with: error)
        }
    }

    /// Says what went wrong, or what was asked for: 2 for wrong usage, 1 for everything else.
    private static func end(with error: any Error) -> Never {
        switch TestServersCommand.exitCode(for: error) {
        case .success:
            print(TestServersCommand.fullMessage(for: error))
            exit(0)
        case .validationFailure:
            let sentence = TestServersCommand.message(for: error)
            let names = [YandexCommand.configuration, RadioCommand.configuration]
                .compactMap { $0.commandName }
            let page = names.first { CommandLine.arguments.dropFirst().first == $0 }
            let command = ["weir-test-servers", page, "--help"].compactMap { $0 }
            Program.complain("\(sentence)\nSee \(command.joined(separator: " ")).")
            exit(2)
        default:
            Program.complain("weir-test-servers: \(error)")
            exit(1)
        }
    }

    private static func complain(_ text: String) {
        FileHandle.standardError.write(Data((text + "\n").utf8))
    }
}
