// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser

/// `weir radio list`.
struct RadioListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the radio stations that have names.",
        discussion: """
            A line a station: name and URL. Values of headers and queries of URLs are not shown.

            EXAMPLES
              weir radio list
              weir radio list --json
            """
    )

    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        let file = StationBookFile(Surroundings())
        let stations = try file.read().stations
        let width = stations.map { CellWidth.of($0.name) }.max() ?? 0
        for station in stations {
            if self.output.json {
                try Output.json(StationEntryLine(station))
            } else {
                Output.print(StationEntryLine.text(station, width: width))
            }
        }
        if stations.isEmpty, !self.output.json, !self.output.quiet {
            Output.note(
                "There are no stations in \(file.path) yet; weir radio add NAME URL adds one."
            )
        }
    }
}
