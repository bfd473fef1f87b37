// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Foundation
import Weir
import WeirHTTP

/// Finds the stations that the command line names: those of the user, and addresses that begin with `icy`.
struct StationFinder: Sendable {
    /// Whose lines are used.
    let library: MediaLibrary
    /// The user's stations.
    let book: StationBook
    /// The sources of the configuration, which have names, too.
    let sources: [String]
    /// Where headers may have their values.
    let surroundings: Surroundings
    /// What the command line has stations told.
    let headers: HTTPHeaderList

    /// The station that a text names.
    ///
    /// - Parameter text: as it was written.
    /// - Returns: `nil` for a text that is no name of a station, and may mean something else.
    /// - Throws: ``CommandError`` for a bare name that means nothing at all; `SourceError` for an address that cannot be
    ///   used.
    func station(_ text: String) throws -> FoundStation? {
        if let station = self.book[text] { return try self.station(station) }
        if ConfiguredSource.isName(text), !FileManager.default.fileExists(atPath: text) {
            throw self.unknown(text)
        }
        guard text.prefix(6).lowercased() == "icy://" else { return nil }
        return FoundStation(line: try self.line(text, headers: self.headers))
    }

    /// A station of the user's, under its name.
    ///
    /// - Parameter settings: what is known of it.
    /// - Returns: the station.
    /// - Throws: ``CommandError`` for a variable that is not set; `SourceError`.
    func station(_ settings: StationSettings) throws -> FoundStation {
        var headers = try settings.headerList(self.surroundings)
        for header in self.headers.headers { headers.append(header) }
        return FoundStation(
            name: settings.name,
            line: try self.line(settings.address.text, headers: headers),
            charset: settings.charset
        )
    }

    /// The way to a station.
    ///
    /// - Parameters:
    ///   - address: where it is.
    ///   - headers: what it is told.
    /// - Returns: a line; nothing is asked yet.
    /// - Throws: `SourceError`.
    func line(_ address: String, headers: HTTPHeaderList) throws(SourceError) -> HTTPStationTransport {
        try self.library.stationTransport(
            address,
            headers: headers.headers.map { "\($0.name): \($0.value)" }
        )
    }

    private func unknown(_ name: String) -> CommandError {
        if self.sources.contains(name) {
            return CommandError(
                .usage,
                "'\(name)' is a source and nothing of it was named; write \(name):/ for all of it, or \(name):PATH."
            )
        }
        let names = self.book.stations.map(\.name) + self.sources
        let nearest = Nearest.name(to: name, among: names).map { " Did you mean '\($0)'?" } ?? ""
        return CommandError(
            .usage,
            "There is no station, file or folder called '\(name)'; weir radio list shows the stations.\(nearest)"
        )
    }
}
