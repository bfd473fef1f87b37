// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import WeirAudio
import WeirHTTP

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

struct RadioAddCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Give a radio station a name.",
        discussion: """
            The URL is that of the stream, or of a playlist that names it. The command does not contact it. Weir \
            stores the station with its headers in stations.toml in the configuration folder, which only you can read.

            EXAMPLES
              weir radio add groove https://radio.example/groove.pls
              weir radio add eho http://radio.example:8000 --charset windows-1251
            """
    )

    @Argument(help: .value("name", "Letters, digits, - and _."))
    var name: String

    @Argument(help: .value("url", "The URL of the station."))
    var url: String

    @Option(
        name: .customLong("header"),
        parsing: .unconditionalSingleValue,
        help: .value("Name: value", "A header for the station.")
    )
    var headers: [String] = []

    @Option(
        name: .customLong("header-env"),
        help: .value(
            "Name=VARIABLE",
            "A header whose value is read from an environment variable when it plays."
        )
    )
    var headersFromEnvironment: [String] = []

    @Option(
        help: .value(
            "charset",
            "The encoding of titles that are not UTF-8. (default: windows-1252)"
        )
    )
    var charset: ICYCharset?

    @OptionGroup(title: "Configuration") var configurationFile: ConfigurationOption
    @OptionGroup(title: "Output") var output: SpeechOptions

    func run() async throws {
        let environment = ProgramEnvironment()
        let sources = try self.configurationFile.load(environment).sources.map(\.name)
        let station = try self.station(sources)
        try StationList.change(environment) { stations throws(CommandError) in
            if let known = stations.stations.first(where: { Self.isSame($0.name, station.name) }) {
                throw CommandError.usage(
                    "There is a station called '\(known.name)' already, at \(known.address); remove it first with weir radio"
                        + " remove \(known.name), or take another name."
                )
            }
            return try stations.adding(station)
        }
        if self.output.json {
            try Output.json(station.json)
        } else if !self.output.quiet {
            Output.print(
                "\(station.name) is \(station.address); weir play \(station.name) plays it."
            )
        }
    }

    /// Checks the arguments, and returns the station; no source may have its name.
    ///
    /// - Throws: ``CommandError`` with `usage`, `SourceError` with `invalidRequest`.
    func station(_ sources: [String]) throws -> StationSettings {
        guard ConfiguredSource.isName(self.name) else {
            throw CommandError.usage(
                "'\(self.name.printableLine)' is not a station name; use letters, digits, - and _."
            )
        }
        guard !ConfiguredSource.isReserved(self.name) else {
            throw CommandError.usage(
                "'\(self.name)' has another meaning already; give the station another name."
            )
        }
        if let source = sources.first(where: { Self.isSame($0, self.name) }) {
            throw CommandError.usage(
                "'\(source)' is a source of the configuration already; give the station another name."
            )
        }
        var list = HTTPHeaderList()
        for text in self.headers { list.append(try HTTPHeader(parsing: text)) }
        let variables = try self.headersFromEnvironment.map { text in
            guard let header = EnvironmentHeader(text) else {
                throw CommandError.usage(
                    "--header-env needs Name=VARIABLE; an argument has no '=', or no name or variable."
                )
            }
            return header
        }
        return StationSettings(
            name: self.name,
            address: try OriginURL(station: self.url),
            text: OriginURL.withPath(self.url),
            headers: list,
            environmentHeaders: variables,
            charset: self.charset
        )
    }

    /// Whether users could mix up two names.
    private static func isSame(_ left: String, _ right: String) -> Bool {
        left.lowercased() == right.lowercased()
    }
}

struct RadioListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the radio stations that have names.",
        discussion: """
            Each line shows the name and the URL of a station, without header values and without the URL's query.

            EXAMPLES
              weir radio list
              weir radio list --json
            """
    )

    @OptionGroup(title: "Output") var output: SpeechOptions

    func run() async throws {
        let list = try StationList.read(ProgramEnvironment())
        let stations = list.stations
        let width = stations.map { $0.name.cellCount }.max() ?? 0
        for station in stations {
            if self.output.json {
                try Output.json(station.json)
            } else {
                Output.print(station.line(width: width))
            }
        }
        if stations.isEmpty, !self.output.json, !self.output.quiet {
            Output.note(
                "There are no stations in \(list.file) yet; weir radio add NAME URL adds one."
            )
        }
    }
}

struct RadioRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a radio station.",
        discussion: """
            The command does not change the other stations and lines in stations.toml.

            EXAMPLES
              weir radio remove groove
              weir radio remove groove -q
            """
    )

    @Argument(help: .value("name", "The station's name."), completion: Completions.stations)
    var name: String

    @OptionGroup(title: "Output") var output: SpeechOptions

    func run() async throws {
        let name = self.name
        try StationList.change(ProgramEnvironment()) { stations throws(CommandError) in
            guard stations[name] != nil else { throw stations.noStation(called: name) }
            return try stations.removing(name)
        }
        if self.output.json {
            try Output.json(["event": "stationRemoved", "name": name])
        } else if !self.output.quiet {
            Output.print("removed \(name)")
        }
    }
}

/// A station as a line, without the values of headers and the queries of URLs.
extension StationSettings {
    /// The station, as `--json` prints it; of headers only the names.
    var json: JSON {
        let names = self.headers.headers.map(\.name) + self.environmentHeaders.map(\.name)
        return [
            "event": "stationName", "name": self.name, "url": self.address.description,
            "headers": names.isEmpty ? nil : names, "charset": self.charset?.name,
        ]
    }

    /// Name and URL for a person; the column of the name is `width` cells wide.
    func line(width: Int) -> String {
        "\(self.name.fitted(toCells: width))  \(self.address.description.printableLine)"
    }
}
