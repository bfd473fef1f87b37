// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirLive
import WeirSource

/// A resolved name of the command line, which can be opened, listed and served.
enum MediaReference: Sendable {
    /// A medium, a playlist or a folder.
    case media(MediaLocation)
    case station(NamedStation)

    /// The first component of the path for players.
    var name: String {
        switch self {
        case .media(let location): location.name
        case .station(let station): station.name
        }
    }

    /// Its location, for people.
    var display: String {
        switch self {
        case .media(let location): location.placeDisplay
        case .station(let station): station.display
        }
    }

    /// The path of the named medium or station for players, after the name.
    var target: String {
        switch self {
        case .media(let location): location.target
        case .station: NamedStation.target
        }
    }

    var station: NamedStation? {
        if case .station(let station) = self { station } else { nil }
    }

    /// The reference with its location settled, as by ``MediaLocation/settled(in:)``.
    func settled(in library: MediaLibrary) async throws -> MediaReference {
        guard case .media(let location) = self else { return self }
        return .media(try await location.settled(in: library))
    }

    /// A reference for which players may open only the named medium; a station stays as it is.
    var namedOnly: MediaReference {
        guard case .media(var location) = self else { return self }
        location.servesOnlyNamed = true
        return .media(location)
    }

    /// The source for a path and a query after the name; `nil` if the reference does not serve them.
    func served(_ target: Substring, in library: MediaLibrary) -> (any ByteSource)? {
        switch self {
        case .media(let location):
            let isServed =
                !location.servesOnlyNamed || ServedPath.opens(target, named: location.target)
            return isServed ? location.media(for: target, in: library) : nil
        case .station(let station):
            return target.prefix { $0 != "?" } == NamedStation.target ? station.stream : nil
        }
    }
}

extension [MediaReference] {
    /// The references with their locations settled, as by ``MediaLocation/settled(in:)``.
    func settled(in library: MediaLibrary) async throws -> [MediaReference] {
        var settled: [MediaReference] = []
        for reference in self { settled.append(try await reference.settled(in: library)) }
        return settled
    }
}

/// A radio station and its name; all players of its stream share one connection.
struct NamedStation: Sendable {
    /// The path of its stream, after the name.
    static let target = "/stream"

    /// The first component of the path for players.
    let name: String
    /// Its location, for people.
    let display: String
    /// The station, which the owner must close; it sends no request before the first listener.
    let station: Station
    let stream: StationSource

    init(_ name: String, display: String, _ station: Station) {
        (self.name, self.display, self.station) = (name, display, station)
        self.stream = StationSource(station)
    }
}
