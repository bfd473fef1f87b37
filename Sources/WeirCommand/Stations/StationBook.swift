// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import TOMLKit
import WeirAudio
import WeirHTTP

/// The user's radio stations, as `stations.toml` in the configuration folder has them.
///
/// It is a text that people may edit; ``StationBookEditing`` changes no more of it than it must.
struct StationBook: Sendable {
    /// The file, whether or not there is one.
    let file: String
    /// What stands in it.
    let text: String
    /// The stations, in the order of their names.
    let stations: [StationSettings]

    /// Reads a text.
    ///
    /// - Throws: ``CommandError`` with `usage`: file, line, column, and what was expected.
    init(file: String, text: String) throws(CommandError) {
        self.file = file
        self.text = text
        let reader = ConfigurationReader(
            text: ConfigurationText(file: file, text: text, isPrivate: true),
            surroundings: Surroundings(environment: [:])
        )
        let top = ConfigurationTable(try reader.parsed(), path: [], in: reader.text)
        try top.allow(only: ["stations"])
        var stations: [StationSettings] = []
        if let table = try top.section("stations") {
            for name in table.keys {
                guard let section = try table.section(name) else { continue }
                stations.append(try Self.station(name, section, table))
            }
        }
        self.stations = stations
    }

    /// The station of a name; `nil` if there is none.
    subscript(name: String) -> StationSettings? {
        self.stations.first { $0.name == name }
    }

    /// The error for a name that no station has.
    func noStation(called name: String) -> CommandError {
        let nearest = Nearest.name(to: name, among: self.stations.map(\.name))
        return CommandError(
            .usage,
            "There is no station called '\(PrintableText.line(name))'\(nearest.map { "; did you mean '\($0)'?" } ?? ".")"
                + " weir radio list shows the stations."
        )
    }

    private static func station(
        _ name: String,
        _ section: ConfigurationTable,
        _ table: ConfigurationTable
    ) throws(CommandError) -> StationSettings {
        guard ConfiguredSource.isName(name) else {
            throw table.failure(name, "is no name of a station; use letters, digits, - and _.")
        }
        try section.allow(only: ["url", "headers", "header-env", "charset"])
        let expected = "an http or https URL in quotes"
        guard let text = try section.string("url", expected) else {
            throw table.failure(name, "has no url; add url = \"https://…\".")
        }
        let address: ConfiguredURL
        do {
            address = try StationAddress.parse(text)
        } catch {
            throw section.failure("url", "must be \(expected).")
        }
        var headers = HTTPHeaderList()
        let pairs = "a list such as [\"Name: value\"]"
        for text in try section.strings("headers", pairs) ?? [] {
            guard let header = try? HTTPHeader(parsing: text) else {
                throw section.failure("headers", "must be \(pairs).")
            }
            headers.append(header)
        }
        let variables = "a list such as [\"Name=VARIABLE\"]"
        var environmentHeaders: [EnvironmentHeader] = []
        for text in try section.strings("header-env", variables) ?? [] {
            guard let header = EnvironmentHeader(text) else {
                throw section.failure("header-env", "must be \(variables).")
            }
            environmentHeaders.append(header)
        }
        return StationSettings(
            name: name,
            address: address,
            headers: headers,
            environmentHeaders: environmentHeaders,
            charset: try section.option("charset", as: CharsetOption.self, CharsetOption.expected)?
                .charset
        )
    }
}
