// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// Makes what is served, of what the command line names or of all that the user has written down.
struct ServedThingMaker {
    /// Makes origins, sources, folders and files.
    let sources: SourceMaker
    /// Finds stations.
    let stations: StationFinder

    /// What is served of a library's.
    ///
    /// - Parameters:
    ///   - sources: makes origins, sources, folders and files.
    ///   - book: the user's stations.
    init(_ sources: SourceMaker, stations book: StationBook) {
        self.sources = sources
        self.stations = sources.stationFinder(book)
    }

    /// What a thing on the command line means; a station's name comes first.
    ///
    /// - Parameters:
    ///   - text: as it was written.
    ///   - name: how it is served if it has no name of its own.
    /// - Returns: what is served.
    /// - Throws: ``CommandError``, `SourceError`.
    func thing(_ text: String, name: String = "origin") throws -> ServedThing {
        if let station = try self.stations.station(text) {
            return .station(ServedStation(station, name: name))
        }
        return .files(try self.sources.thing(text, name: name))
    }

    /// All sources of the configuration and all stations that can be served; of the others it is said why they are not.
    ///
    /// - Parameter note: is given a line for each that is left out.
    /// - Returns: the others.
    /// - Throws: why the first is left out, if all are.
    func all(note: (String) -> Void) throws -> [ServedThing] {
        var things: [ServedThing] = []
        var failure: (any Error)?
        func add(_ name: String, _ make: () throws -> ServedThing) {
            do { things.append(try make()) } catch {
                failure = failure ?? error
                note("warning: \(name) is not served. \(error)")
            }
        }
        let configured = self.sources.configuration.sources
        for source in configured {
            add(source.name) {
                let made = try self.sources.source(source)
                return .files(Thing(source: made, target: made.basePath, path: .root))
            }
        }
        for station in self.stations.book.stations {
            add("the station \(station.name)") {
                // Possible where the configuration was written after the station had its name.
                guard !configured.contains(where: { $0.name == station.name }) else {
                    throw CommandError(
                        .usage,
                        "A source of \(self.sources.configuration.file) has the same name; give one of them another."
                    )
                }
                let found = try self.stations.station(station)
                return .station(ServedStation(found, name: station.name))
            }
        }
        if things.isEmpty, let failure { throw failure }
        return things
    }
}

extension SourceMaker {
    /// Finds stations, which are told and called what sources are.
    func stationFinder(_ book: StationBook) -> StationFinder {
        StationFinder(
            library: self.library,
            book: book,
            sources: self.configuration.sources.map(\.name),
            surroundings: self.surroundings,
            headers: self.given.headers
        )
    }
}
