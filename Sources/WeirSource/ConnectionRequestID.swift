// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The number of a player's request; in a log it connects the requests to origins with the player's
/// request.
///
///     12-3    the third request of the twelfth connection
public struct ConnectionRequestID: Hashable, Sendable, CustomStringConvertible {
    /// The number of the connection, from 1.
    public var connection: UInt64
    /// The number of the request on its connection, from 1.
    public var request: Int

    /// Makes the number of a request.
    public init(connection: UInt64, request: Int) {
        self.connection = connection
        self.request = request
    }

    /// The two numbers.
    public var description: String { "\(self.connection)-\(self.request)" }
}

/// A client of a front end, with all its connections; it shares limits with other clients.
package struct ClientID: Hashable, Sendable {
    /// The program itself: work without a request of a client.
    package static let program = ClientID(high: 0, low: 0)

    private let high: UInt64
    private let low: UInt64

    /// Identifies a client by its address.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// A player's request, as the tasks that work for it see it.
package struct ClientRequest: Sendable {
    package let id: ConnectionRequestID
    /// The client that sent it.
    package let client: ClientID
    /// The path and the query of the request, after any secret; `nil` if the front end has none.
    package let target: String?

    package init(_ id: ConnectionRequestID, from client: ClientID, for target: String? = nil) {
        self.id = id
        self.client = client
        self.target = target
    }

    /// The request that the current task and its child tasks work for; `nil` for work without a
    /// player's request.
    ///
    /// A fetch for several requests has the request that started it.
    @TaskLocal package static var current: ClientRequest?
}
