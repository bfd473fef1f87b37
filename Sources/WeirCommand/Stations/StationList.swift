// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import ArgumentParser
import Foundation
public import WeirAudio
import WeirHTTP
import WeirSource

/// The user's radio stations, from `stations.toml` in the configuration folder.
///
/// Users may edit the text. ``adding(_:)`` and ``removing(_:)`` change only the necessary part of it.
struct StationList: Sendable {
    /// The path of the file, which need not exist.
    let file: String
    let text: String
    /// The stations, in the order of their names.
    let stations: [StationSettings]

    /// Parses a text.
    ///
    /// - Throws: ``CommandError`` with `usage`: file, line, column and expected value.
    init(file: String, text: String) throws(CommandError) {
        self.file = file
        self.text = text
        let top = try ConfigurationTable(
            ConfigurationText(file: file, text: text, isPrivate: true),
            ProgramEnvironment([:])
        )
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

    /// The station with a name; `nil` if no station has it.
    subscript(name: String) -> StationSettings? {
        self.stations.first { $0.name == name }
    }

    /// The error for an unknown station name.
    func noStation(called name: String) -> CommandError {
        let nearest = self.stations.map(\.name).nearest(to: name)
        return CommandError.usage(
            "There is no station called '\(name.printableLine)'\(nearest.map { "; did you mean '\($0)'?" } ?? ".")"
                + " weir radio list shows the stations."
        )
    }

    private static func station(
        _ name: String,
        _ section: ConfigurationTable,
        _ table: ConfigurationTable
    ) throws(CommandError) -> StationSettings {
        guard ConfiguredSource.isName(name) else {
            throw table.failure(name, "is not a station name; use letters, digits, - and _.")
        }
        try section.allow(only: ["url", "headers", "header-env", "charset"])
        let expected = "an http or https URL in quotes"
        guard let text = try section.string("url", expected) else {
            throw table.failure(name, "has no url; add url = \"https://…\".")
        }
        let address: OriginURL
        do {
            address = try OriginURL(station: text)
        } catch {
            throw section.failure("url", "must be \(expected).")
        }
        var headers = HTTPHeaderList()
        let pairs = "a list such as [\"Name: value\"]"
        for text in try section.strings("headers", pairs) ?? [] {
            guard let header = try? HTTPHeader(parsing: text) else {
                throw section.failure("headers", "must be \(pairs).")
            }
            headers.append(header.read(in: "stations.toml"))
        }
        return StationSettings(
            name: name,
            address: address,
            text: OriginURL.withPath(text),
            headers: headers,
            environmentHeaders: try section.environmentHeaders(
                "header-env",
                "a list such as [\"Name=VARIABLE\"]"
            ),
            charset: try section.option("charset", ICYCharset.expected)
        )
    }
}

/// A radio station with a name from the user.
struct StationSettings: Hashable, Sendable {
    /// The name: letters, digits, `-` and `_`, as for sources.
    var name: String
    var address: OriginURL
    /// The address in the user's spelling, with a path; may contain credentials.
    var text: String
    /// The headers of its requests, which may contain credentials.
    var headers: HTTPHeaderList
    /// The headers with values from the environment.
    var environmentHeaders: [EnvironmentHeader]
    /// The charset of its titles, if they are not UTF-8.
    var charset: ICYCharset?

    /// The error for a command that needs a medium with an end.
    static func isNoFile(_ name: String) -> CommandError {
        CommandError.usage(
            "'\(name)' is a radio station, which is not a file and has no end: weir play \(name) plays it, and with"
                + " --record FOLDER records it."
        )
    }
}

/// `--charset`: the charset of a station's titles, if they are not UTF-8.
extension ICYCharset: ExpressibleByArgument {
    /// The names for users.
    private static let names: [(name: String, charset: ICYCharset)] = [
        ("utf-8", .utf8), ("iso-8859-1", .latin1), ("iso-8859-2", .iso8859Part2),
        ("windows-1251", .windows1251), ("windows-1252", .windows1252), ("koi8-r", .koi8r),
    ]

    /// The end of the sentence `charset must be …`.
    static let expected = "one of \(Self.names.map(\.name).joined(separator: ", ")), in quotes"

    /// The names, for help and errors.
    public static var allValueStrings: [String] { Self.names.map(\.name) }

    /// Finds a charset by its name, in any case.
    public init?(argument: String) {
        guard let found = Self.names.first(where: { $0.name == argument.lowercased() }) else {
            return nil
        }
        self = found.charset
    }

    var name: String { Self.names.first { $0.charset == self }?.name ?? self.rawValue }
}
