// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import WeirHTTP

/// `weir radio add`.
struct RadioAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Give a radio station a name.",
        discussion: """
            The URL is the stream's own, or that of a playlist that names it; nothing is asked of it now. The station \
            is kept in stations.toml in the configuration folder, which only you can read, headers among it.

            EXAMPLES
              weir radio add groove https://radio.example/groove.pls
              weir radio add eho http://radio.example:8000 --charset windows-1251
            """
    )

    @Argument(help: ArgumentHelp("Letters, digits, - and _.", valueName: "name"))
    var name: String

    @Argument(help: ArgumentHelp("Where the station is.", valueName: "url"))
    var url: String

    @Option(
        name: .customLong("header"),
        parsing: .unconditionalSingleValue,
        help: ArgumentHelp("A header for the station.", valueName: "Name: value")
    )
    var headers: [String] = []

    @Option(
        name: .customLong("header-env"),
        help: ArgumentHelp(
            "A header whose value is read from an environment variable when it plays.",
            valueName: "Name=VARIABLE"
        )
    )
    var headersFromEnvironment: [String] = []

    @Option(
        help: ArgumentHelp(
            "How its titles are coded where they are not UTF-8. (default: windows-1252)",
            valueName: "charset"
        )
    )
    var charset: CharsetOption?

    @OptionGroup(title: "Configuration") var configurationFile: ConfigurationOption
    @OptionGroup(title: "Output") var output: OutputOptions

    func run() async throws {
        let surroundings = Surroundings()
        let sources = try self.configurationFile.load(surroundings).sources.map(\.name)
        let station = try self.station(sources)
        let file = StationBookFile(surroundings)
        try file.change { book throws(CommandError) in
            if let known = book.stations.first(where: { Self.isSame($0.name, station.name) }) {
                throw CommandError(
                    .usage,
                    "There is a station called '\(known.name)' already, at \(known.address); remove it first with weir radio"
                        + " remove \(known.name), or take another name."
                )
            }
            return try StationBookEditing.adding(station, to: book)
        }
        if self.output.json {
            try Output.json(StationEntryLine(station))
        } else if !self.output.quiet {
            Output.print(
                "\(station.name) is \(station.address); weir play \(station.name) plays it."
            )
        }
    }

    /// What was given, checked.
    ///
    /// - Parameter sources: names that are taken.
    /// - Returns: the station.
    /// - Throws: ``CommandError`` with `usage`, `SourceError` with `invalidRequest`.
    func station(_ sources: [String]) throws -> StationSettings {
        guard ConfiguredSource.isName(self.name) else {
            throw CommandError(
                .usage,
                "'\(PrintableText.line(self.name))' is no name of a station; use letters, digits, - and _."
            )
        }
        guard !ConfiguredSource.isReserved(self.name) else {
            throw CommandError(
                .usage,
                "'\(self.name)' means something else already; give the station another name."
            )
        }
        if let source = sources.first(where: { Self.isSame($0, self.name) }) {
            throw CommandError(
                .usage,
                "'\(source)' is a source of the configuration already; give the station another name."
            )
        }
        var list = HTTPHeaderList()
        for text in self.headers { list.append(try HTTPHeader(parsing: text)) }
        let variables = try self.headersFromEnvironment.map { text in
            guard let header = EnvironmentHeader(text) else {
                throw CommandError(
                    .usage,
                    "--header-env wants Name=VARIABLE, and an argument has no '=' or nothing beside it."
                )
            }
            return header
        }
        return StationSettings(
            name: self.name,
            address: try StationAddress.parse(self.url),
            headers: list,
            environmentHeaders: variables,
            charset: self.charset?.charset
        )
    }

    /// Whether two names would be taken for each other.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.lowercased() == right.lowercased()
    }
}
