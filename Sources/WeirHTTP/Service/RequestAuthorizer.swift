// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Puts a credential on requests, and is told when it was refused.
///
/// What it returns goes to the origin of the address alone: never along with a redirect that leaves it.
public protocol RequestAuthorizer: Sendable {
    /// The value of the `Authorization` field for a request.
    ///
    /// Called for every request, since some schemes sign each one.
    ///
    /// - Parameters:
    ///   - method: the method of the request.
    ///   - url: its address.
    /// - Returns: the value; `nil` to send the request without one.
    /// - Throws: `SourceError` where there is no credential; `CancellationError`.
    func authorization(method: String, url: OriginURL) async throws -> String?

    /// A request was answered with 401.
    ///
    /// - Parameters:
    ///   - authorization: the value that was sent, if one was.
    ///   - challenges: the `WWW-Authenticate` fields of the answer.
    /// - Returns: whether another request may do better, as with a new token or now that the server's challenge is
    ///   known.
    /// - Throws: `SourceError` where a new credential cannot be had; `CancellationError`.
    func refused(_ authorization: String?, challenges: [String]) async throws -> Bool
}
