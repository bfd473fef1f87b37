// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
package import WeirSource

/// A radio station: one connection for any number of listeners, made again whenever it is lost.
///
///     let station = try library.station(url)
///     player.play(station)
///     let recording = try station.record(into: folder)
///
/// The connection is made when the first listener comes and left 250 ms after the last has gone. It is read as fast as
/// the server sends, until that is two minutes ahead of real time, and then in real time: a slow listener does not hold
/// it back, but falls behind in what is kept. When it is lost, for
/// whatever reason, it is made again: at once, then after 1, 2, 4, 8, 16 and 30 s; only a station that has never played
/// and refuses again and again is given up, until the next listener comes.
public final class Station: Sendable {
    /// What the station is called.
    public let name: String
    /// How it is kept.
    let options: StationOptions
    let core: StationCore
    /// Where its tasks run, and those of its recordings.
    var executor: (any TaskExecutor)? { self.options.executor }

    /// A station; it is not asked before the first listener comes.
    ///
    /// - Parameters:
    ///   - name: what it is called, for people.
    ///   - transport: connects to its server.
    ///   - options: how it is kept.
    package init(
        name: String,
        transport: any StationTransport,
        options: StationOptions = StationOptions()
    ) {
        self.name = name
        self.options = options
        self.core = StationCore(transport: transport, options: options)
    }

    /// What the connection does now.
    public var status: StationStatus { self.core.status }

    /// What the connection does: now, then each change; a slow watcher gets the newest.
    ///
    /// The sequence ends with the station.
    public func statusChanges() -> AsyncStream<StationStatus> { self.core.statuses.stream() }

    /// What keeps the time shift from the disk: one sentence; `nil` while nothing does.
    ///
    /// A disk that is full or fails stops no listener: from then on only about the newest mebibyte is kept, in memory.
    public var timeShiftTrouble: String? { self.core.ring.diskTrouble }

    /// Begins to listen, and connects if this is the first listener.
    ///
    /// A listener that joins live is given the newest sound at once, as ``StationOptions/burst`` says. A station that
    /// has given up tries anew.
    ///
    /// - Parameter start: where to begin; what is no longer kept is passed over.
    /// - Returns: the listener; to be cancelled when it is no longer wanted. That of a closed station gives nothing.
    package func listen(from start: StationStart = .live) -> StationListener {
        // The first listener makes the station connect. It hears the first bytes, however soon they come.
        let cursor = self.core.cursor(at: start, cause: .joined)
        let id = self.core.join()
        return StationListener(self.core, id: id, cursor: cursor)
    }

    /// The network is another: what waits to connect tries at once, what is connected must soon show that it still is.
    public func pathChanged() {
        self.core.pathChanged()
    }

    /// Ends the station: the connection, all listeners, what is kept.
    ///
    /// Returns when all is done; a second time at once.
    public func close() async {
        await self.core.close()
    }
}
