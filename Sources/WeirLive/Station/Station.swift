// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

import WeirAudio
package import WeirSource

/// A radio station: one connection for any number of listeners; Weir reconnects whenever it is lost.
///
///     let station = try library.station(url)
///     player.play(station)
///     let recording = try station.record(into: folder)
///
/// The station connects for its first listener, and disconnects 250 ms after the last one has left. It reads as
/// fast as the server sends until the sound is two minutes ahead of real time, and then in real time. A slow
/// listener does not slow the connection: it falls behind in the kept stream.
///
/// When the connection is lost, for whatever reason, the station reconnects: at once, then after 1, 2, 4, 8, 16 and
/// 30 s. It gives up only if it has never played and the server refuses again and again; then the next listener
/// makes it try again.
public final class Station: Sendable {
    /// The station's name.
    public let name: String
    /// The options of the station.
    let options: StationOptions
    let core: StationCore
    /// The executor of its tasks and of its recordings.
    var executor: (any TaskExecutor)? { self.options.executor }

    /// A station; it does not connect before the first listener joins.
    ///
    /// - Parameters:
    ///   - name: its name for people.
    ///   - transport: connects to its server.
    ///   - options: the options of the station.
    package init(
        name: String,
        transport: any StationTransport,
        options: StationOptions = StationOptions()
    ) {
        self.name = name
        self.options = options
        self.core = StationCore(transport: transport, options: options)
    }

    /// The status of the connection now.
    public var status: StationStatus { self.core.status }

    /// The status of the connection now, and each change; a slow observer gets the newest status.
    ///
    /// The sequence ends with the station.
    public func statusChanges() -> AsyncStream<StationStatus> { self.core.statuses.stream() }

    /// Why the time shift cannot use the disk: one sentence; `nil` while it can.
    ///
    /// A full or failing disk stops no listener. From then on the station keeps only about the newest mebibyte, in
    /// memory.
    public var timeShiftTrouble: String? { self.core.ring.diskTrouble }

    /// Begins to listen, and connects if this is the first listener.
    ///
    /// A listener that joins live gets the newest sound at once, as much as ``StationOptions/burst`` says. A
    /// station that has given up tries again.
    ///
    /// - Parameter start: where to begin; sound that is no longer kept is skipped.
    /// - Returns: the listener; cancel it when you no longer need it. A listener of a closed station gets nothing.
    package func listen(from start: StationStart = .live) -> StationListener {
        // The first listener makes the station connect. With a cursor from before that, the listener gets the first
        // bytes, however soon they arrive.
        let cursor = self.core.cursor(at: start, cause: .joined)
        let id = self.core.join()
        return StationListener(self.core, id: id, cursor: cursor)
    }

    /// The network has changed: a waiting station connects at once, and a connected one must soon receive bytes.
    public func pathChanged() {
        self.core.pathChanged()
    }

    /// Ends the station: the connection, all listeners, and the kept stream.
    ///
    /// Returns when everything has ended; a second call returns at once.
    public func close() async {
        await self.core.close()
    }
}
