// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Connects to a radio station: asks its address and brings what it sends.
///
/// A station is handed its transport and knows no protocol. Implementations follow redirects, ask for titles
/// (`Icy-MetaData: 1`), read `ICY 200 OK` and bare line feeds, and watch nothing: how long to wait is the station's
/// business, which ends a call by cancelling its task.
package protocol StationTransport: Sendable {
    /// How the station is called in sentences; no query and no credential is in it.
    var display: String { get }

    /// Connects anew, and returns when the answer's head has come.
    ///
    /// - Parameter target: where to; every time from the first address on, so that redirects are followed anew.
    /// - Returns: the answer, of status 200 or the like; its body is to be pulled.
    /// - Throws: `SourceError` with `unauthorized`, `forbidden`, `notFound` (410, too), `throttled`, `originFailed`,
    ///   `unreachable`, `insecure`, `badAnswer`, `invalidRequest`, its cause a ``StationPatience`` where the server
    ///   says how long it wants to be left alone; `CancellationError`.
    func connect(to target: StationTarget) async throws -> StationAnswer
}

/// Which address of a station is meant.
package enum StationTarget: Hashable, Sendable {
    /// The station's own.
    case station
    /// One that the station's playlist named, as it is written there: absolute, or relative to the playlist's address.
    case entry(String)
}

/// What a station's server answered: the head, and the bytes behind it.
package struct StationAnswer: Sendable {
    /// The fields of the head in their order, names as they were written; values that are not UTF-8 as ISO 8859-1.
    package var fields: [(String, String)]
    /// The `Content-Type`, without its parameters and in lower case; `nil` if there is none.
    package var mediaType: String?
    /// What answered in the end, for sentences; no query and no credential is in it.
    package var display: String
    /// The bytes, transfer coding removed, titles still in them.
    package var body: any StationBody

    /// An answer.
    package init(
        fields: [(String, String)],
        mediaType: String?,
        display: String,
        body: any StationBody
    ) {
        self.fields = fields
        self.mediaType = mediaType
        self.display = display
        self.body = body
    }
}

/// The bytes of a station, pulled piece by piece.
package protocol StationBody: AnyObject, Sendable {
    /// The next bytes, never empty; `nil` when the server has ended the connection.
    ///
    /// Called by one consumer, one call at a time.
    ///
    /// - Throws: `SourceError` when the connection breaks; `CancellationError`, at once, after ``cancel()`` or when the
    ///   calling task is cancelled.
    func next() async throws -> ByteMemory?

    /// Ends the connection: from any thread, any number of times. A pending ``next()`` ends at once.
    func cancel()
}

/// That a server said how long it wants to be left alone: the cause of the `SourceError` that a transport throws.
package struct StationPatience: Error, Hashable, Sendable {
    /// How long the server wants not to be asked; the station keeps to it as far as
    /// `ReconnectPolicy.patienceLimit` goes.
    package var delay: Duration

    /// A server's wish.
    ///
    /// - Parameter delay: how long the server wants not to be asked.
    package init(delay: Duration) {
        self.delay = delay
    }
}
