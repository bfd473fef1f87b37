// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The way to a station: asks its address and brings what it sends.
///
/// A station is handed its line and knows no protocol. Implementations follow redirects, ask for titles
/// (`Icy-MetaData: 1`), read `ICY 200 OK` and bare line feeds, and watch nothing: how long to wait is the station's
/// business, which ends a call by cancelling its task.
public protocol StationTransport: Sendable {
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
