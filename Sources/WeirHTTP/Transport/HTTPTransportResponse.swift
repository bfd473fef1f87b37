// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

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
    /// the connection closes: nobody can tell its end from a lost connection.
    public var isEndProven: Bool
    /// The place among the connections to its host that the body holds; `nil` where they are not counted.
    var place: ConnectionPlace?

    /// Describes an answer.
    public init(status: Int, headers: HTTPHeaderList, body: any HTTPBody, isEndProven: Bool) {
        self.status = status
        self.headers = headers
        self.body = body
        self.isEndProven = isEndProven
    }
}
