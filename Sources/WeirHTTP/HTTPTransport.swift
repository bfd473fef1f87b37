// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

public import WeirSource

/// Sends one request and brings its answer: what an origin needs of an HTTP client, and no more.
///
/// No redirects, no retries, no decoding, no time-outs of an answer: the caller decides about these.
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

/// One request.
public struct HTTPTransportRequest: Sendable {
    /// What is asked for; user and password in it are not sent.
    public var url: OriginURL
    /// The method, a token: `GET` unless a service wants another one.
    public var method: String
    /// The body; empty for none.
    public var body: [UInt8]
    /// All fields of the request but `Host`, which the transport adds if it is missing.
    public var headers: HTTPHeaderList
    /// Called at most once, from any thread, when the connection stands and the request's head is
    /// sent: from then on it is the origin that is waited for.
    public var whenSent: (@Sendable () -> Void)?
    /// Called at most once, from any thread, when the request has to wait since its host may be sent only so many a second.
    package var whenHeld: (@Sendable () -> Void)?
    /// Called at most once, from any thread, when the request has to wait for one of the connections that its host is
    /// allowed, with how many these are.
    public var whenQueued: (@Sendable (_ connections: Int) -> Void)?
    /// Called, from any thread, when such a wait is over: from then on it is the connection that is waited for.
    public var whenGranted: (@Sendable () -> Void)?

    /// Describes a request.
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

/// The head of an answer, and its body to be pulled.
public struct HTTPTransportResponse: Sendable {
    /// The status code.
    public var status: Int
    /// The fields.
    public var headers: HTTPHeaderList
    /// The body; dropping it closes the connection unless the body's end had come.
    public var body: any HTTPBody
    /// Whether the end of the body, when it comes without an error, is the end that was sent.
    ///
    /// True for a body with a length and for one in chunks (RFC 9112 §8). False for one that lasts until
    /// the connection closes: its end looks like a lost connection.
    public var isEndProven: Bool
    /// The slot among the connections to its host that the body holds; `nil` where they are not counted.
    var slot: ConnectionSlot?

    /// Describes an answer.
    public init(status: Int, headers: HTTPHeaderList, body: any HTTPBody, isEndProven: Bool) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isEndProven = isEndProven
    }
}

/// The body of an answer: pulled piece by piece, never more than one piece ahead of the consumer.
public protocol HTTPBody: AnyObject, Sendable {
    /// The next bytes, never empty; `nil` at the end that the framing of the body announced.
    ///
    /// Called by one consumer, one call at a time.
    ///
    /// - Throws: ``HTTPTransportError`` when the body breaks off before its end; `CancellationError`, at
    ///   once, after ``cancel()`` or when the calling task is cancelled.
    func next() async throws -> ByteMemory?

    /// Ends the body and its connection: from any thread, at any time, any number of times. A pending
    /// ``next()`` ends at once.
    func cancel()
}
