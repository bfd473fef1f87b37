// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import Weir
import WeirAudio
import WeirHTTP
import WeirLive
import WeirPlayback
import WeirSource

/// Makes a queue of what the command line names.
struct PlayQueue {
    /// How many things a queue has at most.
    static let longest = WeirAudio.Playlist.maximumEntryCount

    /// What was told of all things.
    let opening: ThingOpening
    /// Where media come from.
    let library: MediaLibrary
    /// The user's stations.
    let stations: StationBook
    /// Is told what was left out.
    let note: @Sendable (String) -> Void

    /// The queue of all things, in their order.
    ///
    /// - Parameter things: as they were written.
    /// - Returns: one thing at least.
    /// - Throws: ``CommandError``, `SourceError` for a thing that cannot be played.
    func things(_ things: [String]) async throws -> [PlayThing] {
        let origins = things.compactMap { try? OriginURL(StationAddress.withPath($0)) }
        var queue: [PlayThing] = []
        for text in things {
            queue += try await self.thing(text, isFirst: queue.isEmpty, origins)
        }
        return Array(queue.prefix(Self.longest))
    }

    private func thing(_ text: String, isFirst: Bool, _ origins: [OriginURL]) async throws
        -> [PlayThing]
    {
        if let station = try self.stationFinder.station(text) {
            return [self.station(station)]
        }
        let scheme = text.firstRange(of: "://").map { text[..<$0.lowerBound].lowercased() }
        let finder = PlaceFinder(self, origins: origins)
        guard scheme == "http" || scheme == "https" else {
            return try await finder.stored(try self.opening.maker(self.library).thing(text), 0)
        }
        let url = StationAddress.withPath(text)
        return try await finder.asked(url, isFirst: isFirst, 0)
    }

    private var stationFinder: StationFinder {
        self.opening.maker(self.library).stationFinder(self.stations)
    }

    /// The way to a station.
    func line(_ address: String, headers: HTTPHeaderList) throws(SourceError)
        -> any StationTransport
    {
        try self.stationFinder.line(address, headers: headers)
    }

    /// A station that a line leads to.
    func station(_ line: any StationTransport, name: String) -> PlayThing {
        self.station(FoundStation(name: name, line: line))
    }

    private func station(_ found: FoundStation) -> PlayThing {
        let station = found.station
        return PlayThing(item: PlayerItem(name: station.name, content: .station(station)))
    }

    /// A medium.
    func media(_ media: Media, name: String) -> PlayThing {
        PlayThing(
            item: PlayerItem(name: name, content: .media(media)),
            digest: MediaDigest.of(media)
        )
    }
}
