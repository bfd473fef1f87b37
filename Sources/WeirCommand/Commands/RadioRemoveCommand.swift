// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `weir radio remove`.
struct RadioRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Take a radio station's name away.",
        discussion: """
            The other stations, and what else stands in stations.toml, stay as they are.

            EXAMPLES
              weir radio remove groove
              weir radio remove groove -q
            """
    )

    @Argument(help: ArgumentHelp("The station's name.", valueName: "name"))
    var name: String

    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        let name = self.name
        try StationBookFile(Surroundings()).change { book throws(CommandError) in
            guard book[name] != nil else { throw book.noStation(called: name) }
            return try StationBookEditing.removing(name, from: book)
        }
        if !self.output.quiet, !self.output.json { Output.print("removed \(name)") }
    }
}
