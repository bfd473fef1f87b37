// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Connects to a radio station: sends the request and delivers the stream.
///
/// A station only calls its transport, and does not depend on a protocol. Implementations follow
/// redirects, request titles (`Icy-MetaData: 1`), and read `ICY 200 OK` and bare line feeds. They
/// have no timeouts: the station decides how long to wait, and ends a call by cancelling its task.
package protocol StationTransport: Sendable {
    /// The station's name in messages; it contains no query and no credential.
    var display: String { get }

    /// Makes a new connection, and returns when the head of the response has arrived.
    ///
    /// - Parameter target: the address to request; each call starts at the first address, so
    ///   redirects are followed again.
    /// - Returns: the response, with a success status; the caller pulls its body.
    /// - Throws: `SourceError` with `unauthorized`, `forbidden`, `notFound` (410, too),
    ///   `throttled`, `originFailed`, `unreachable`, `insecure`, `badAnswer`, `invalidRequest`; the
    ///   cause is a ``StationPatience`` if the server says how long to wait before the next
    ///   request; `CancellationError`.
    func connect(to target: StationTarget) async throws -> StationAnswer
}

/// The address of a station to request.
package enum StationTarget: Hashable, Sendable {
    /// The station's own address.
    case station
    /// An address from the station's playlist, as written there: absolute, or relative to the
    /// playlist's address.
    case entry(String)
}

/// The response of a station's server: the head, and the bytes after it.
package struct StationAnswer: Sendable {
    /// The fields of the head in their order, names as received; values that are not UTF-8 as ISO
    /// 8859-1.
    package var fields: [(String, String)]
    /// The `Content-Type`, without its parameters and in lower case; `nil` without the field.
    package var mediaType: String?
    /// The name of the final server in messages; it contains no query and no credential.
    package var display: String
    /// The bytes, without the transfer coding, with the titles still in them.
    package var body: any StationBody

    /// Makes a response.
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
    /// - Throws: `SourceError` when the connection breaks; `CancellationError`, at once, after
    ///   ``cancel()`` or when the calling task is cancelled.
    func next() async throws -> ByteMemory?

    /// Ends the connection, from any thread, any number of times; a pending ``next()`` ends at
    /// once.
    func cancel()
}

/// The cause of a transport's `SourceError` when the server says how long to wait before the next
/// request.
package struct StationPatience: Error, Hashable, Sendable {
    /// How long the server wants no request; the station waits this long, up to
    /// `ReconnectPolicy.patienceLimit`.
    package var delay: Duration

    /// Makes the cause for a delay.
    ///
    /// - Parameter delay: how long the server wants no request.
    package init(delay: Duration) {
        self.delay = delay
    }
}
