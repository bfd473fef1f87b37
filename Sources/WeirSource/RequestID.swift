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

    /// The request that the current task, and what it starts, works for; `nil` for work that no player has asked for.
    ///
    /// A fetch that several requests share has the number of the one that it was begun for.
    @TaskLocal package static var current: RequestID?
}
