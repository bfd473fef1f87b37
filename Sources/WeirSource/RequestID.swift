// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// The number of a player's request, by which a log ties the requests to origins to it.
///
///     12-3    the third request of the twelfth connection
public struct RequestID: Hashable, Sendable, CustomStringConvertible {
    /// The number of the connection, from 1.
    public var connection: UInt64
    /// The number of the request on it, from 1.
    public var request: Int

    /// Names a request.
    public init(connection: UInt64, request: Int) {
        self.connection = connection
        self.request = request
    }

    /// The two numbers.
    public var description: String { "\(self.connection)-\(self.request)" }
}

/// Whoever shares what is bounded with others as one: a client of a front end, whatever it opens.
package struct ClientID: Hashable, Sendable {
    /// The program itself: work that no client has asked for.
    package static let program = ClientID(high: 0, low: 0)

    private let high: UInt64
    private let low: UInt64

    /// Names a client by its address.
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// A player's request, as the tasks that work for it know it.
package struct ClientRequest: Sendable {
    package let id: RequestID
    /// Where it came from.
    package let client: ClientID

    package init(_ id: RequestID, from client: ClientID) {
        self.id = id
        self.client = client
    }

    /// The request that the current task, and what it starts, works for; `nil` for work that no player has asked for.
    ///
    /// A fetch that several requests share has the one that it was begun for.
    @TaskLocal package static var current: ClientRequest?
}
