// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// Sends one request and brings its answer: what an origin needs of an HTTP client, and no more.
///
/// No redirects, no retries, no decoding, no time-outs of an answer: who asks decides about these.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns when the answer's head has come.
    ///
    /// The body is pulled by the caller; until it is, the transport reads nothing of it but what came
    /// in one piece with the head.
    ///
    /// - Throws: ``HTTPTransportError``; `CancellationError`, at once, when the calling task is cancelled,
    ///   which also ends the connection.
    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse
}
