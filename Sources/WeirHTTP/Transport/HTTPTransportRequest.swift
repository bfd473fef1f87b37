// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

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
    /// Called at most once, from any thread, when the request has to wait for one of the connections that its host is
    /// allowed, with how many these are.
    public var whenQueued: (@Sendable (_ connections: Int) -> Void)?
    /// Called at most once, from any thread, when the wait for one of them is over: from then on it is the connection
    /// that is waited for.
    public var whenPlaced: (@Sendable () -> Void)?

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
