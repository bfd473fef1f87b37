// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

package import WeirSource

/// Answers requests below `/page/`, outside of the media's secret: a page for people, and its data.
///
/// The proxy passes on only requests with a `Host` that it answers to.
package protocol PageService: Sendable {
    /// Answers a request.
    ///
    /// Called in a task of the connection, which is cancelled when the client leaves.
    func answer(_ request: PageRequest) async -> PageAnswer
}

/// A request for a page.
package struct PageRequest: Hashable, Sendable {
    /// The method of a request.
    package enum Method: Hashable, Sendable {
        case get
        case head
        case post
    }

    /// The method.
    package var method: Method
    /// The path after `/page`, percent-encoded as received: empty, or from a slash on.
    package var path: String
    /// The query after the question mark; `nil` without one.
    package var query: String?
    /// The value of the `Authorization` field.
    package var authorization: String?
    /// Whether a browser says that a page of another site has sent the request.
    package var isFromAnotherSite: Bool
    /// Whether the client is on this machine.
    package var isFromThisMachine: Bool

    /// Describes a request.
    package init(
        method: Method,
        path: String,
        query: String? = nil,
        authorization: String? = nil,
        isFromAnotherSite: Bool = false,
        isFromThisMachine: Bool = true
    ) {
        self.method = method
        self.path = path
        self.query = query
        self.authorization = authorization
        self.isFromAnotherSite = isFromAnotherSite
        self.isFromThisMachine = isFromThisMachine
    }
}

/// The answer to a request for a page.
package struct PageAnswer: Sendable {
    /// The body.
    package enum Body: Sendable {
        case bytes(ByteMemory)
        /// The bytes of a reading; the connection ends short if the reading fails.
        case reading(ByteReading)
    }

    /// The status.
    package var status: Int
    /// All fields except the framing fields: names and values without line ends.
    package var fields: [(name: String, value: String)]
    /// The body.
    package var body: Body

    /// Describes an answer.
    package init(
        status: Int = 200,
        fields: [(name: String, value: String)] = [],
        body: Body
    ) {
        self.status = status
        self.fields = fields
        self.body = body
    }
}
