// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `weir radio`.
struct RadioCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "radio",
        abstract: "Give radio stations names; weir play NAME plays them.",
        discussion: """
            EXAMPLES
              weir radio add groove https://radio.example/groove.pls
              weir radio list
            """,
        subcommands: [RadioAddCommand.self, RadioListCommand.self, RadioRemoveCommand.self]
    )
}
