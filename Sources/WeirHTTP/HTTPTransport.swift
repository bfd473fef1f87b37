// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Sends one request and returns its response: the part of an HTTP client that an origin needs.
///
/// A transport follows no redirects, retries nothing, decodes nothing, and sets no timeout for a
/// response. The caller decides about these.
public protocol HTTPTransport: Sendable {
    /// Sends a request and returns when the response's head has arrived.
    ///
    /// Until the caller pulls the body, the transport reads only the bytes that arrive in one piece
    /// with the head.
    ///
    /// - Throws: ``HTTPTransportError``; `CancellationError`, at once, when the calling task is
    ///   cancelled. The cancellation also ends the connection.
    func send(_ request: HTTPTransportRequest) async throws -> HTTPTransportResponse
}

/// One request.
public struct HTTPTransportRequest: Sendable {
    /// The address; a user and a password in it are not sent.
    public var url: OriginURL
    /// The method, a token: `GET` unless a service needs another one.
    public var method: String
    /// The body; empty for none.
    public var body: [UInt8]
    /// The fields of the request.
    ///
    /// The transport adds a missing `Host`, and the fields that frame the body.
    public var headers: HTTPHeaderList
    /// Which addresses the connection may have.
    package var rule = ConnectionRule.any
    /// Called at most once, from any thread, when the request's head has been sent.
    ///
    /// The connection is then open, and the wait for the origin begins.
    public var whenSent: (@Sendable () -> Void)?
    /// Called at most once, from any thread, when the request waits for its host's limit of
    /// requests per second.
    package var whenHeld: (@Sendable () -> Void)?
    /// Called at most once, from any thread, when the request waits for a connection to its host.
    ///
    /// The argument is the number of connections that the host is allowed.
    public var whenQueued: (@Sendable (_ connections: Int) -> Void)?
    /// Called, from any thread, each time the request has passed one of its host's limits.
    ///
    /// The limits are connections, and requests per second. A request that did not wait passes
    /// both, too.
    public var whenGranted: (@Sendable () -> Void)?

    /// Creates a request.
    public init(
        url: OriginURL,
        method: String = "GET",
        headers: HTTPHeaderList = HTTPHeaderList(),
        body: [UInt8] = [],
        whenSent: (@Sendable () -> Void)? = nil
    ) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
        self.whenSent = whenSent
    }
}

/// The head of a response, with its body to pull.
public struct HTTPTransportResponse: Sendable {
    /// The status code.
    public var status: Int
    /// The fields.
    public var headers: HTTPHeaderList
    /// The body; dropping it closes the connection unless the body's end has arrived.
    public var body: any HTTPBody
    /// Whether a body that ends without an error is proven to be complete.
    ///
    /// True for a body with a length and for one in chunks (RFC 9112 §8). False for one that lasts
    /// until the connection closes: its end looks like a lost connection.
    public var isEndProven: Bool
    /// The connection slot that the body holds; `nil` if the transport does not count slots.
    var slot: ConnectionSlot?

    /// Creates a response.
    public init(status: Int, headers: HTTPHeaderList, body: any HTTPBody, isEndProven: Bool) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isEndProven = isEndProven
    }
}

/// The body of a response: pulled piece by piece, never more than one piece ahead of the consumer.
public protocol HTTPBody: AnyObject, Sendable {
    /// The next bytes, never empty; `nil` at the end that the framing of the body announced.
    ///
    /// Only one consumer calls it, one call at a time.
    ///
    /// - Throws: ``HTTPTransportError`` when the body breaks off before its end;
    ///   `CancellationError`, at once, after ``cancel()`` or when the calling task is cancelled.
    func next() async throws -> ByteMemory?

    /// Ends the body and its connection.
    ///
    /// Allowed from any thread, at any time, any number of times. A pending ``next()`` ends at
    /// once.
    func cancel()
}
