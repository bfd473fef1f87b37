// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir

/// Something that players are given under a name.
enum ServedThing: Sendable {
    /// An origin, a source, a folder or a file.
    case files(Thing)
    /// A radio station.
    case station(ServedStation)

    /// The first piece of the path, as players see it.
    var name: String {
        switch self {
        case .files(let thing): thing.source.name
        case .station(let station): station.name
        }
    }

    /// What is served, for people.
    var display: String {
        switch self {
        case .files(let thing): thing.source.display
        case .station(let station): station.display
        }
    }

    /// The path of what was named, as players see it behind the name.
    var target: String {
        switch self {
        case .files(let thing): thing.target
        case .station: ServedStation.target
        }
    }

    /// The same with no more for players to open than what was named; a station is that already.
    var namedOnly: ServedThing {
        guard case .files(var thing) = self else { return self }
        thing.scope = .named
        return .files(thing)
    }

    /// The station, if it is one.
    var station: ServedStation? {
        if case .station(let station) = self { station } else { nil }
    }

    /// What is behind a path and a query, as players see them behind the name; `nil` if there is nothing.
    func source(for target: Substring, in library: MediaLibrary) -> (any ByteSource)? {
        switch self {
        case .files(let thing):
            thing.scope.admits(target, where: thing.target)
                ? thing.source.media(for: target, in: library) : nil
        case .station(let station): station.source(for: target)
        }
    }
}
