// Weir: plays media while it downloads.
// SPDX-License-Identifier: Apache-2.0

/// What a listener's connections ask and tell: the edge between sockets and decisions.
///
/// All of it is called on event loops.
struct ServerService: Sendable {
    /// Decides an answer, and gives it a number under which the sending is told.
    var answer: @Sendable (ServerRequest) -> (number: Int, answer: ServerAnswer)
    /// So many more bytes of a body have gone into the socket.
    var bytesLeft: @Sendable (_ number: Int, _ count: Int64) -> Void
    /// An answer has been sent, or its connection has ended.
    var ended: @Sendable (_ number: Int) -> Void
    /// Something came that is not HTTP.
    var garbageCame: @Sendable (_ problem: String) -> Void
    /// The time, in Unix seconds.
    var now: @Sendable () -> Double
}
